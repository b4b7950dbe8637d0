/**
 * Where a Messages request writes to the cache and where its reads look.
 * Source: https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
import type { AnthropicPrompt } from './anthropic-prompt.ts';
import type { BoundaryQuestion } from './boundary-cache.ts';
import { ANTHROPIC, anthropicMinimumTokens } from './rules.ts';
import { isObject, type Segment, stringOf } from './segments.ts';
import type { JsonObject } from './types.ts';

export function anthropicQuestion(
  body: JsonObject,
  prompt: AnthropicPrompt,
  account: string,
  nowMs: number,
): BoundaryQuestion {
  const model = stringOf(body.model);
  const writes = breakpointsOf(body, prompt);
  const positions = blockPositions(prompt.segments);
  return {
    partition: JSON.stringify([account, model]),
    segments: prompt.segments,
    writes,
    lookups: writes.map(({ boundary }) => lookback(positions, boundary)),
    minimumTokens: anthropicMinimumTokens(model),
    nowMs,
  };
}

function breakpointsOf(body: JsonObject, { segments, automaticBoundary }: AnthropicPrompt) {
  const explicit = segments.flatMap(({ markTtlMs }, index) =>
    markTtlMs === undefined ? [] : [{ boundary: index + 1, ttlMs: markTtlMs }],
  );
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
