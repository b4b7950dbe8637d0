/**
 * Lineage: the chain of calls, inside a scope, that continue one another. Head: the newest successful fingerprint of a
 * lineage. A head outlives its call by hashes and figures alone; its prompt is held only as long as the store's byte
 * budget allows, so that a later divergence can be pointed out to the byte.
 */
import type { Api, ExchangeRequest, ExchangeResponse, Scope } from '../exchange.ts';
import type { Fingerprint } from '../fingerprint/fingerprint.ts';
import type { Prompt } from '../prompt/prompt.ts';
import type { BodyText } from '../prompt/reading.ts';
import type { TokenUsage } from '../prompt/usage.ts';

export interface Head {
  readonly lineage: string;
  /** Position of the call in the order of diagnosis. */
  readonly index: number;
  /** Place in the lineage, from 1. */
  readonly turn: number;
  readonly api: Api;
  readonly scope: Scope;
  readonly fingerprint: Fingerprint;
  readonly facts: HeadFacts;
  /** Declared or suggested conversation. */
  readonly thread: string | undefined;
  /** Dropped when memory is short. */
  prompt: Prompt | null;
  /** The text that the prompt was read from; dropped with it. */
  text: BodyText | null;
  /** Filled in when the response is known. */
  outcome: HeadOutcome;
  /** A side call has read this history under another head: a summary of it may follow. */
  wasSummarised: boolean;
}

/** What was known of the call when it was sent. */
export interface HeadFacts {
  readonly atMs: number | null;
  readonly model: string | null;
  readonly region: string | null;
  readonly endpoint: string | null;
  readonly account: string | null;
  readonly promptCacheKey: string | null;
  readonly inferenceGeo: string | null;
  /** Headers that a provider routes by. */
  readonly routing: Readonly<Record<string, string>>;
}

export interface HeadOutcome {
  readonly isInFlight: boolean;
  readonly usage: TokenUsage | null;
  readonly firstByteAtMs: number | null;
  readonly responseId: string | null;
  readonly responseModel: string | null;
  readonly upstream: string | null;
}

export const IN_FLIGHT: HeadOutcome = {
  isInFlight: true,
  usage: null,
  firstByteAtMs: null,
  responseId: null,
  responseModel: null,
  upstream: null,
};

export function headFacts(request: ExchangeRequest, prompt: Prompt): HeadFacts {
  const inferenceGeo = prompt.suspects.find(({ name }) => name === 'inference_geo')?.leaves[0]?.text;
  return {
    atMs: calendarTime(request.atMs),
    model: prompt.model,
    region: prompt.region,
    endpoint: request.endpoint ?? null,
    account: request.account ?? null,
    promptCacheKey: prompt.promptCacheKey,
    inferenceGeo: inferenceGeo ?? null,
    routing: routingHeaders(request.headers ?? {}),
  };
}

/** A log may hold a time that no calendar does. */
function calendarTime(timeMs: number | undefined): number | null {
  return timeMs !== undefined && Math.abs(timeMs) <= 8.64e15 ? timeMs : null;
}

const ROUTING_HEADERS = ['x-grok-conv-id', 'x-session-id', 'x-session-affinity', 'x-dashscope-session-cache'];

function routingHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    ROUTING_HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
  );
}

export function headOutcome(response: ExchangeResponse | undefined, usage: TokenUsage | null): HeadOutcome {
  return {
    isInFlight: false,
    usage,
    firstByteAtMs: response?.firstByteAtMs ?? null,
    responseId: response?.id ?? null,
    responseModel: response?.model ?? null,
    upstream: response?.provider ?? null,
  };
}

/** Only a call that the provider began to answer may be a baseline: a refused or broken one left nothing in the cache. */
export function mayBeBaseline(response: ExchangeResponse | undefined): boolean {
  if (response === undefined) return true;
  if (response.status !== undefined && response.status >= 400) return false;
  return response.ending !== 'failed' || response.usage !== undefined;
}
