/**
 * Where a Messages request writes to the cache and where its reads look.
 * Source: https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
import type { AnthropicPrompt } from './anthropic-prompt.ts';
import type { BoundaryQuestion } from './boundary-cache.ts';
import { ANTHROPIC } from './rules.ts';
import { isObject, type Segment, stringOf } from './segments.ts';
import type { JsonObject } from './types.ts';

/** Who asks, when, and what the platform asks of a prefix. */
export interface Asking {
  readonly account: string;
  readonly minimumTokens: number;
  readonly nowMs: number;
}

export function anthropicQuestion(
  body: JsonObject,
  prompt: AnthropicPrompt,
  asking: Asking,
): BoundaryQuestion {
  return breakpointQuestion(stringOf(body.model), prompt.segments, breakpointsOf(body, prompt), asking);
}

/** Claude behind another API keeps the rules of its cache. */
export function breakpointQuestion(
  model: string,
  segments: readonly Segment[],
  writes: BoundaryQuestion['writes'],
  { account, minimumTokens, nowMs }: Asking,
): BoundaryQuestion {
  const positions = blockPositions(segments);
  return {
    partition: JSON.stringify([account, model]),
    segments,
    writes,
    lookups: writes.map(({ boundary }) => lookback(positions, boundary)),
    minimumTokens,
    nowMs,
  };
}

/** Where marks end a segment. */
export function explicitBreakpoints(segments: readonly Segment[]): { boundary: number; ttlMs: number }[] {
  return segments.flatMap(({ markTtlMs }, index) =>
    markTtlMs === undefined ? [] : [{ boundary: index + 1, ttlMs: markTtlMs }],
  );
}

function breakpointsOf(body: JsonObject, { segments, automaticBoundary }: AnthropicPrompt) {
  const explicit = explicitBreakpoints(segments);
  const automatic = body.cache_control;
  const isMarkedAlready = explicit.some(({ boundary }) => boundary === automaticBoundary);
  if (!isObject(automatic) || isMarkedAlready) return explicit;
  const ttlMs = ANTHROPIC.ttlMs[stringOf(automatic.ttl) || '5m'] ?? 0;
  return [...explicit, { boundary: automaticBoundary, ttlMs }];
}

/**
 * The block position of each segment, from 1. A run of tool calls or of tool results takes one position, whichever
 * messages they stand in. A setting takes none and has the position of the block before it.
 */
function blockPositions(segments: readonly Segment[]): number[] {
  let position = 0;
  return segments.map(({ kind }, index) => {
    const continuesRun = kind !== 'block' && segments[index - 1]?.kind === kind;
    if (kind !== 'parameter' && !continuesRun) position += 1;
    return position;
  });
}

/** Every block end within 20 positions back of the breakpoint, its own included. */
function lookback(positions: readonly number[], boundary: number): number[] {
  const last = positions[boundary - 1] ?? 0;
  return positions.flatMap((position, index) => {
    const isWithin = index < boundary && last - position < ANTHROPIC.lookbackPositions;
    return isWithin ? [index + 1] : [];
  });
}
