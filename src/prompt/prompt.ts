/**
 * Prompt: a request body read as an ordered list of segments, in the order in which the provider renders them.
 * Segment: the smallest unit that a diagnosis names: one parameter, one tool, one system block, one content block
 * of one message.
 * Leaf: one string inside a segment. Two segments are equal for the cache when their leaves are equal, in order.
 * Breakpoint: an explicit cache mark. It is not content, so it is kept beside the segments.
 *
 * Invariant: what a provider treats as the same prompt reads as the same leaves (fixed fields in any JSON order, escapes,
 * a string against one text block, moved marks); what it renders differently reads as different leaves (key order
 * inside schemas and arguments, white space inside strings).
 */
import type { Api, JsonObject } from '../exchange.ts';
import type { UnknownText } from './unknown-text.ts';

export type SegmentComponent = 'model' | 'tools' | 'system' | 'parameters' | 'messages';

export type SegmentKind =
  | 'parameter'
  | 'tool'
  | 'text'
  | 'thinking'
  | 'media'
  | 'tool_use'
  | 'tool_result'
  | 'opaque';

export interface Leaf {
  /** Name of the place, the same for every spelling that the provider treats alike (`text` for a string and for a block). */
  readonly slot: string;
  /** Where it stands: appended to the segment's path, or a whole path where it does not start with `.`, `[` or is empty. */
  readonly at: string;
  readonly text: string;
  /** As sent, where `text` is what the provider makes of it: offsets are counted in this. */
  readonly sent?: string | undefined;
  /** False for a list of keys, a number or a missing value: there is no byte to point at. */
  readonly isString: boolean;
  /** Set where the text is not known, only its length and what is kept here: `text` stands in for it. */
  readonly unknown?: UnknownText | undefined;
}

export interface Segment {
  readonly component: SegmentComponent;
  readonly kind: SegmentKind;
  readonly path: string;
  readonly leaves: readonly Leaf[];
  /** Tool, parameter or called tool. */
  readonly name?: string | undefined;
  /** Id that pairs a tool call with its result. */
  readonly callId?: string | undefined;
  readonly role?: string | undefined;
  readonly messageIndex?: number | undefined;
  /** An image stands in it, be it inside a tool result. */
  readonly holdsImage?: boolean | undefined;
  /** The first segment of its message: message borders are part of the prompt. */
  readonly opensMessage?: boolean | undefined;
  /** Set where another process read the segment: what its fingerprint was there. */
  readonly known?: KnownSegment | undefined;
}

interface KnownSegment {
  readonly hash: bigint;
  readonly length: number;
  /** Whether a segment says the same in another order. */
  readonly isPermutation?: ((of: Segment) => boolean) | undefined;
}

export interface Breakpoint {
  readonly path: string;
  /** Index of the last segment that it covers. */
  readonly segment: number;
  readonly ttlMs: number | null;
  readonly isAutomatic: boolean;
  readonly isOnEmptyText: boolean;
}

/** Why a body does not hold the whole prompt, and the id that names the missing part. */
export interface MissingHistory {
  readonly reason: 'previous_response_id' | 'conversation' | 'thread' | 'cached_content';
  readonly id: string;
}

export interface Prompt {
  readonly api: Api;
  readonly model: string | null;
  /** Region or platform prefix that was taken off the model id (`us.`, `eu.` …). */
  readonly region: string | null;
  readonly segments: readonly Segment[];
  /** Index of the first message segment; everything before it is the head. */
  readonly headLength: number;
  readonly breakpoints: readonly Breakpoint[];
  /** Settings with no documented effect on the cache: blamed last, and only where the read was lost. */
  readonly suspects: readonly Segment[];
  readonly promptCacheKey: string | null;
  /** `explicit` asks for no implicit writes (OpenAI `prompt_cache_options.mode`). */
  readonly cacheMode: 'implicit' | 'explicit';
  /** TTL asked for by the request as a whole. */
  readonly requestTtlMs: number | null;
  readonly isThinkingOn: boolean;
  readonly missingHistory: MissingHistory | null;
  /** The server may rewrite the history (context editing, compaction). */
  readonly isServerEdited: boolean;
  /** The few members of the body that may say who is calling; absent where another process read it. */
  readonly callerMembers?: JsonObject | undefined;
}

export function leafPath(segment: Segment, leaf: Leaf): string {
  if (leaf.at === '' || leaf.at.startsWith('.') || leaf.at.startsWith('[')) return segment.path + leaf.at;
  return leaf.at;
}

/** Slots that say what a block is or which call it belongs to, not what it says. */
const IDENTITY_SLOT =
  /(^|[.\]])(type|role|id|call_id|tool_use_id|tool_call_id|toolUseId|signature|encrypted_content)$/;

function isIdentitySlot(slot: string): boolean {
  return IDENTITY_SLOT.test(slot);
}

/** The text of a segment as one string: what a person would call its content. */
export function textOf(segment: Segment): string {
  const parts: string[] = [];
  for (const leaf of segment.leaves) if (leaf.isString && !isIdentitySlot(leaf.slot)) parts.push(leaf.text);
  return parts.join('\n');
}
