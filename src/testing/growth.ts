/**
 * The law that a test holds each step to: the next request is the last one plus growth. Usage, lifetimes and cost have no
 * part in it, so it holds for a fake client as for a real one.
 */
import { writtenMarks } from '../cache/boundaries.ts';
import { markFault, missingMarkPath } from '../cache/marks.ts';
import { rulesFor } from '../cache/rules.ts';
import type { Divergence } from '../diagnosis.ts';
import { nameDivergence } from '../divergence/find.ts';
import type { Exchange } from '../exchange.ts';
import { fingerprintOf, sharedPrefix } from '../fingerprint/fingerprint.ts';
import { mayBeBaseline } from '../lineage/head.ts';
import { type Prompt, type Segment, textOf } from '../prompt/prompt.ts';
import { readPrompt } from '../prompt/read.ts';
import { hasher } from './hasher.ts';
import { type CallInput, exchangeOf, type RecordedCall, refuseSharedLists } from './recorded-call.ts';

interface BrokenStep {
  /** Positions in the list of calls. */
  readonly before: number;
  readonly after: number;
  readonly divergence: Divergence;
  /** `null` where no text can be shown: a cache mark that moved. */
  readonly excerpt: { readonly before: string; readonly after: string } | null;
}

export interface Growth {
  readonly steps: number;
  readonly broken: readonly BrokenStep[];
}

interface Step {
  readonly before: number;
  readonly after: number;
}

/** Recorded calls are held to the call that each of them continues; bare bodies are one conversation, in their order. */
export function growthOf(calls: readonly (RecordedCall | CallInput)[]): Growth {
  const recorded = calls.filter(isRecordedCall);
  if (recorded.length === calls.length)
    return growthIn(
      recorded.map(({ exchange }) => exchange),
      recorded.flatMap(({ continues }, after) => (continues === null ? [] : [{ before: continues, after }])),
    );
  if (recorded.length > 0) throw new TypeError('recorded calls and bare bodies in one list');
  const inputs = calls as readonly CallInput[]; // no recorded call is among them
  refuseSharedLists(inputs);
  const exchanges = inputs.map(exchangeOf);
  return growthIn(exchanges, stepsInOrder(exchanges));
}

/** A call that failed left nothing that the next one could continue. */
function stepsInOrder(exchanges: readonly Exchange[]): Step[] {
  const steps: Step[] = [];
  let before: number | undefined;
  for (const [after, { response }] of exchanges.entries()) {
    if (!mayBeBaseline(response)) continue;
    if (before !== undefined) steps.push({ before, after });
    before = after;
  }
  return steps;
}

function growthIn(exchanges: readonly Exchange[], steps: readonly Step[]): Growth {
  const prompts = exchanges.map(promptOf);
  const broken = steps.flatMap(({ before, after }) => {
    if (exchanges[after]?.expectedRebuild !== undefined) return [];
    const found = brokenAt(prompts[before] as Prompt, prompts[after] as Prompt);
    return found === null ? [] : [{ before, after, ...found }];
  });
  return { steps: steps.length, broken };
}

function promptOf(exchange: Exchange, index: number): Prompt {
  const reading = readPrompt(exchange);
  if ('unreadable' in reading) throw new TypeError(`call ${index + 1}: ${reading.unreadable}`);
  return reading.prompt;
}

function brokenAt(before: Prompt, after: Prompt): Pick<BrokenStep, 'divergence' | 'excerpt'> | null {
  // The server holds the history, and the body what is new: the head alone can be compared.
  const whole = after.missingHistory === null;
  const [old, now] = whole ? [before, after] : [headOf(before), headOf(after)];
  const shared = sharedPrefix(fingerprintOf(old, hasher), fingerprintOf(now, hasher));
  if (shared < old.segments.length || now.headLength > old.headLength) {
    const { divergence, difference } = nameDivergence(old, now, shared, { isSibling: false });
    const span = difference?.span;
    const excerpt = span
      ? { before: around(span.oldText, span.start), after: around(span.newText, span.start) }
      : { before: shown(difference?.old), after: shown(difference?.new) };
    return { divergence, excerpt };
  }
  const fault = whole ? movedMark(before, after) : null;
  return fault && { divergence: fault, excerpt: null };
}

function headOf(prompt: Prompt): Prompt {
  return { ...prompt, segments: prompt.segments.slice(0, prompt.headLength) };
}

/** What the last mark wrote is read from that mark or from one behind it; a mark in front of it never finds it. */
function movedMark(before: Prompt, after: Prompt): Divergence | null {
  const [old, now] = [before, after].map(marksOf);
  const written = old?.at(-1);
  if (!written) return null;
  const last = now?.at(-1);
  if (!last)
    return markFault('breakpoints.missing', missingMarkPath(before, after), 'no_breakpoint').divergence;
  if (last.segment >= written.segment) return null;
  return markFault('breakpoints.moved', last.path, 'no_reachable_entry').divergence;
}

function marksOf(prompt: Prompt) {
  const { api, model, requestTtlMs, breakpoints } = prompt;
  return writtenMarks(
    prompt,
    rulesFor({ api, model, requestTtlMs, endpoint: null, breakpoints: breakpoints.length }),
  );
}

const CHARACTERS_BEFORE = 40;
const CHARACTERS_SHOWN = 120;

function around(text: string, at: number): string {
  const from = Math.max(0, at - CHARACTERS_BEFORE);
  const to = from + CHARACTERS_SHOWN;
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}

function shown(segment: Segment | undefined): string {
  if (segment === undefined) return '(nothing)';
  const name = segment.name === undefined ? segment.kind : `${segment.kind} ${segment.name}`;
  return around(`(${name.replace('_', ' ')}) ${textOf(segment)}`.trim(), 0);
}

function isRecordedCall(call: RecordedCall | CallInput): call is RecordedCall {
  return typeof call === 'object' && 'exchange' in call && 'continues' in call;
}
