/**
 * Builds a prompt segment by segment, in render order. The readers of the APIs say what stands where; this keeps the
 * bookkeeping that they share: places of breakpoints, parameters that are absent, message borders.
 */
import type { Api, JsonValue } from '../exchange.ts';
import { isObject, settingLeaves, stringLeaf } from './leaves.ts';
import type {
  Breakpoint,
  Leaf,
  MissingHistory,
  Prompt,
  Segment,
  SegmentComponent,
  SegmentKind,
} from './prompt.ts';

export interface MessagePart {
  readonly kind: SegmentKind;
  readonly path: string;
  readonly leaves: readonly Leaf[];
  readonly name?: string | undefined;
  readonly callId?: string | undefined;
  readonly holdsImage?: boolean | undefined;
  readonly mark?: Mark | undefined;
}

/** A cache mark on a block: where it stands and what it asks for. */
export interface Mark {
  readonly path: string;
  readonly ttlMs: number | null;
  readonly isOnEmptyText: boolean;
}

export class PromptBuilder {
  readonly segments: Segment[] = [];
  readonly breakpoints: Breakpoint[] = [];
  readonly suspects: Segment[] = [];
  /** Number of segments up to and with each message. */
  readonly segmentsAfter: number[] = [];
  headLength = -1;

  /** Goes on from the first `segments` segments of a prompt that was built before. */
  static from(prompt: Prompt, segments: number): PromptBuilder {
    const builder = new PromptBuilder();
    builder.segments.push(...prompt.segments.slice(0, segments));
    builder.breakpoints.push(
      ...prompt.breakpoints.filter((mark) => mark.segment < segments && !mark.isAutomatic),
    );
    builder.headLength = prompt.headLength;
    return builder;
  }

  /** The prompt that `from` began: everything but segments and marks is as it was. */
  continue(prompt: Prompt): Prompt {
    return { ...prompt, segments: this.segments, breakpoints: this.breakpoints };
  }

  add(segment: Segment): void {
    this.segments.push(segment);
  }

  /**
   * A parameter is a segment at the place where the provider renders it. An absent one is an empty segment, so that two
   * prompts of one API have the same segments in their heads.
   */
  parameter(name: string, path: string, value: unknown, component: SegmentComponent = 'parameters'): void {
    this.segments.push(parameterSegment(name, path, value, component));
  }

  /** A parameter that the provider normalises: `text` is what it makes of it, `sent` what stood in the request. */
  normalised(
    name: string,
    path: string,
    text: string | null,
    sent: unknown,
    component: SegmentComponent = 'parameters',
  ): void {
    const leaf = { slot: name, at: '', text: text ?? '', isString: true };
    const leaves = text === null ? [] : [typeof sent === 'string' ? { ...leaf, sent } : leaf];
    this.segments.push({ component, kind: 'parameter', name, path, leaves });
  }

  /** A setting that no provider documents as part of the prefix. */
  suspect(name: string, path: string, value: unknown): void {
    this.suspects.push(parameterSegment(name, path, value, 'parameters'));
  }

  /** The head ends here: what follows is the growing part. */
  startMessages(): void {
    this.headLength = this.segments.length;
  }

  /**
   * One message. The first part carries the role, since a border between messages is rendered; a message without any
   * part still takes a place.
   */
  message(message: {
    readonly component: 'system' | 'messages';
    readonly role: string;
    readonly path: string;
    readonly index: number;
    readonly parts: readonly MessagePart[];
  }): void {
    const { component, role, path, index } = message;
    const parts = message.parts.length > 0 ? message.parts : [{ kind: 'opaque' as const, path, leaves: [] }];
    for (let at = 0; at < parts.length; at += 1) {
      const part = parts[at] as MessagePart;
      const opensMessage = at === 0;
      const leaves = opensMessage ? [stringLeaf('role', `${path}.role`, role), ...part.leaves] : part.leaves;
      const { kind, name, callId, holdsImage } = part;
      // Field by field: spreading a part into a segment takes three times as long, and a body has hundreds.
      this.segments.push({
        component,
        kind,
        path: part.path,
        leaves,
        name,
        callId,
        holdsImage,
        role,
        messageIndex: index,
        opensMessage,
      });
      if (part.mark) this.breakpoint(part.mark.path, part.mark);
    }
    this.segmentsAfter.push(this.segments.length);
  }

  /** Marks the newest segment, or the head's end where none was added yet. */
  breakpoint(
    path: string,
    options: { ttlMs?: number | null; isAutomatic?: boolean; isOnEmptyText?: boolean } = {},
  ): void {
    this.breakpoints.push({
      path,
      segment: this.segments.length - 1,
      ttlMs: options.ttlMs ?? null,
      isAutomatic: options.isAutomatic ?? false,
      isOnEmptyText: options.isOnEmptyText ?? false,
    });
  }

  build(api: Api, facts: PromptFacts): Prompt {
    return {
      api,
      segments: this.segments,
      headLength: this.headLength < 0 ? this.segments.length : this.headLength,
      breakpoints: this.breakpoints,
      suspects: this.suspects,
      ...facts,
    };
  }
}

export interface PromptFacts {
  readonly model: string | null;
  readonly region: string | null;
  readonly promptCacheKey: string | null;
  readonly cacheMode: 'implicit' | 'explicit';
  readonly requestTtlMs: number | null;
  readonly isThinkingOn: boolean;
  readonly missingHistory: MissingHistory | null;
  readonly isServerEdited: boolean;
}

export const PLAIN_FACTS: PromptFacts = {
  model: null,
  region: null,
  promptCacheKey: null,
  cacheMode: 'implicit',
  requestTtlMs: null,
  isThinkingOn: false,
  missingHistory: null,
  isServerEdited: false,
};

function parameterSegment(name: string, path: string, value: unknown, component: SegmentComponent): Segment {
  const kind: SegmentKind = 'parameter';
  if (value === undefined || value === null) return { component, kind, name, path, leaves: [] };
  return { component, kind, name, path, leaves: settingLeaves(value as JsonValue, name) };
}

export function stringOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** `5m`, `1h`, `30m`, `12h`, `24h` or seconds in milliseconds; anything else is unknown. */
export function ttlMsOf(value: unknown): number | null {
  if (typeof value !== 'string') return null;
  // Evicted after 5 to 10 minutes without use (OpenAI prompt-caching guide).
  if (value === 'in_memory') return 10 * 60_000;
  const match = /^(\d+)(s|m|h)$/.exec(value);
  if (!match) return null;
  const unitMs = { s: 1_000, m: 60_000, h: 3_600_000 }[match[2] as 's' | 'm' | 'h'];
  return Number(match[1]) * unitMs;
}

/** The mark that an object of the API carries at `path`, if any. */
export function markOn(value: unknown, path: string, isOnEmptyText = false): Mark | undefined {
  if (!isObject(value)) return undefined;
  for (const field of ['cache_control', 'prompt_cache_breakpoint']) {
    const mark = value[field];
    if (isObject(mark)) return { path: `${path}.${field}`, ttlMs: ttlMsOf(mark.ttl), isOnEmptyText };
  }
  return undefined;
}
