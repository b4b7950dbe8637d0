/**
 * What the engine says about one call: the shape of `prefixtrace diagnose --json` (design contract §7).
 *
 * Four answers, never merged: what changed (`divergence`); whether the cache missed (`outcome`); why, if the prompt
 * did not change (`miss`); how sure we are (`certainty`). `null` is "unknown" or "does not apply"; zero is zero.
 */
import type { Api } from './exchange.ts';

export type Component = 'model' | 'tools' | 'system' | 'parameters' | 'messages' | 'breakpoints';

/** Why tokens were not read although the prompt did not diverge. */
export type Miss =
  | 'no_breakpoint'
  | 'no_reachable_entry'
  | 'request_rejected'
  | 'lookback_exceeded'
  | 'ttl_expired'
  | 'below_minimum'
  | 'routing'
  | 'account_or_region_changed'
  | 'concurrent_before_write'
  | 'server_strips_thinking'
  | 'provider_side';

export interface Divergence {
  readonly component: Component;
  /** The named cause, `component.cause`: see the folder `divergence/kinds`. */
  readonly kind: string;
  /** Path in the newer request's body; `headers.NAME` for a header. */
  readonly path: string;
  /** The first differing leaf, at or below `path`. */
  readonly leaf: string;
  /** First differing UTF-8 byte in the string at `leaf`; `null` where the leaf is not a string on both sides. */
  readonly byteOffset: number | null;
  /** For a person: `tool git__log`, `system block 1`, `message 4 (tool result)`. */
  readonly label: string;
  /** Independent changes behind this one, in render order. */
  readonly also: readonly { readonly component: Component; readonly kind: string; readonly path: string }[];
  /** What to do about it, one or two sentences. */
  readonly advice: string;
}

export type Outcome = 'hit' | 'partial' | 'miss' | 'unknown';
/** `observed`: usage shows it. `inferred`: rules and bodies say so, usage does not contradict. `unknown`: neither. */
export type Certainty = 'observed' | 'inferred' | 'unknown';
/** Where the figures come from. `calibrated`: an estimate scaled to what earlier calls of the model or conversation reported. */
export type TokenMethod = 'usage' | 'calibrated' | 'estimated';

export interface CallTokens {
  /** All input tokens, cached ones included. */
  readonly input: number;
  readonly cacheRead: number | null;
  readonly cacheWrite: number | null;
  /** Input neither read from nor written to the cache. */
  readonly uncached: number | null;
  /** What the provider's rules say should have been read of this very prompt, from what was cached before as far as seen. */
  readonly expectedRead: number | null;
  /** Before the divergence (all of the baseline's prompt where there is none). */
  readonly shared: number;
  /** After the divergence; 0 where there is none. */
  readonly behind: number;
  /** Billed again: would have been read back had the prefix held. */
  readonly rebilled: number | null;
  readonly method: TokenMethod;
}

export interface CallCost {
  /** The whole call, output included where its tokens are known; `null`: no price known. */
  readonly usd: number | null;
  readonly rebilledUsd: number | null;
  /** The model id whose price was used, and the date of the price. */
  readonly priceModel: string;
  readonly priceDate: string;
}

export interface ProviderVerdict {
  readonly reason: string;
  readonly tokens: number | null;
  readonly agrees: boolean | null;
}

export interface Diagnosis {
  /** Position in the order of diagnosis, from 0. */
  readonly index: number;
  /** `file:line` for recorded traffic. */
  readonly source: string | null;
  readonly at: string | null;
  readonly api: Api;
  readonly model: string | null;
  readonly scope: {
    readonly thread: string | null;
    readonly phase: string | null;
    readonly delegation: string | null;
  };
  readonly lineage: string;
  /** Place in the lineage, from 1. */
  readonly turn: number;
  /** `index` of the call that this one is compared with. */
  readonly baseline: number | null;
  readonly divergence: Divergence | null;
  readonly miss: Miss | null;
  readonly expected: string | null;
  readonly outcome: Outcome;
  readonly certainty: Certainty;
  /** Worth a person's attention: it cost something and was neither declared nor harmless. */
  readonly finding: boolean;
  readonly tokens: CallTokens;
  readonly cost: CallCost | null;
  readonly provider: ProviderVerdict | null;
}

/** A run of neighbouring segments of one component that are all shared with the baseline, or all not. */
export interface LayoutRun {
  readonly component: 'tools' | 'system' | 'messages' | 'parameters' | 'model';
  readonly tokens: number;
  readonly segments: number;
  readonly shared: boolean;
}

/** A text that is not told: its length, and a hash to tell it from others. Not keyed: key it before it leaves the process. */
export interface SizedText {
  readonly bytes: number;
  readonly hash: string;
}

/** One part of what every call pays before its first message. No content: a tool's name, the place of a system block. */
export interface FloorPart {
  /** `parameters`: a response schema, which is rendered like a tool. */
  readonly component: 'tools' | 'system' | 'parameters';
  readonly label: string;
  readonly tokens: number;
}

/** What telemetry and the viewer show beyond the contract of `diagnose`. No content, except in `excerpt`. */
export interface Evidence {
  readonly layout: readonly LayoutRun[];
  readonly componentTokens: { readonly tools: number; readonly system: number; readonly messages: number };
  /** In render order; `null` where the head is that of the call before in the lineage. */
  readonly floor: readonly FloorPart[] | null;
  /** The model that was asked for; the diagnosis names the one that answered. */
  readonly requestModel: string | null;
  /** Hash of the whole prompt prefix, for equality only. Not keyed: key it before it leaves the process. */
  readonly prefixHash: string;
  /** Short text around the divergence in the older and newer prompt. Content: hold it back unless capture is on. */
  readonly excerpt: { readonly before: string; readonly after: string } | null;
  /** The string or segment that differs, without its text; `null` on the side that has none, or where nothing differs. */
  readonly change: { readonly before: SizedText | null; readonly after: SizedText | null } | null;
  /** For how long after this call its entry may be read, where the provider documents that and something was marked. */
  readonly lifetimeMs: number | null;
  /** As reported; `null`: the response does not say. */
  readonly outputTokens: number | null;
  /** Milliseconds from the start of the request. */
  readonly timeToFirstByteMs: number | null;
  readonly durationMs: number | null;
}

export interface DiagnosedCall {
  readonly diagnosis: Diagnosis;
  readonly evidence: Evidence;
}
