/**
 * The baseline file of `check`: findings that are known and tolerated, committed beside the code. A finding is known by its
 * cause, phase and place, never by the line of a log or the number of a message: those move from run to run.
 */
import { UserError } from '../errors.ts';
import { causeOf } from '../summary/classify.ts';
import type { ReportedCall } from '../summary/reported-call.ts';

export interface KnownFinding {
  readonly cause: string;
  readonly phase: string | null;
  /** `null` where the cause has no place in the prompt. */
  readonly place: string | null;
}

const VERSION = 1;

/** What a finding is known by. */
export type Recognisable = Pick<ReportedCall, 'expected' | 'divergence' | 'miss' | 'finding' | 'scope'>;

export function knownFindingOf(call: Recognisable): KnownFinding {
  return { cause: causeOf(call) ?? 'unknown', phase: call.scope.phase, place: stablePlace(call) };
}

export function keyOf({ cause, phase, place }: KnownFinding): string {
  return JSON.stringify([cause, phase, place]);
}

function stablePlace({ divergence }: Recognisable): string | null {
  if (divergence === null) return null;
  const { component, kind, label, path } = divergence;
  // A shuffled list parts at another tool in each run; a tool keeps its name when others come in front of it.
  if (kind === 'tools.reordered') return 'tools';
  if (component === 'tools' && label !== '') return label;
  // Conversations grow, so the number of a message says nothing. The head is short, and its blocks are told apart.
  const isInMessages = component === 'messages' || /^(messages|input|contents)\b/.test(path);
  return isInMessages ? path.replace(/\[\d+\]/g, '[]') : path;
}

/** Sorted and without repeats, so that a commit shows what became known and nothing else. */
export function writeKnownFindings(findings: readonly KnownFinding[]): string {
  const byKey = new Map(findings.map((finding) => [keyOf(finding), finding]));
  const keys = [...byKey.keys()].sort();
  return `${JSON.stringify({ version: VERSION, findings: keys.map((key) => byKey.get(key)) }, null, 2)}\n`;
}

export function readKnownFindings(text: string, file: string): KnownFinding[] {
  const content = parse(text, file);
  if (!isRecord(content) || !Array.isArray(content.findings))
    throw new UserError(`${file} is no baseline of prefixtrace check; write one with --update-baseline`);
  if (content.version !== VERSION) {
    const version = JSON.stringify(content.version);
    throw new UserError(`${file} has version ${version}, this prefixtrace reads ${VERSION}`);
  }
  return content.findings.map((finding, index) => {
    if (!isKnownFinding(finding))
      throw new UserError(
        `${file}: findings[${index}] must have a cause, a phase or null, and a place or null`,
      );
    return { cause: finding.cause, phase: finding.phase, place: finding.place };
  });
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UserError(`${file} is not JSON; write it anew with --update-baseline`, { cause: error });
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isKnownFinding(value: unknown): value is KnownFinding {
  return (
    isRecord(value) &&
    typeof value.cause === 'string' &&
    isTextOrNull(value.phase) &&
    isTextOrNull(value.place)
  );
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string';
}
