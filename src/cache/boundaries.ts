/**
 * Boundaries: where a cache of exact prefixes writes its entries, and where a reader looks for them. Anthropic and Bedrock
 * write at the marks of the request and look back from each of them. OpenAI from GPT-5.6 on sets a mark of its own at
 * the end of the newest eligible message, and looks at the ends of earlier ones (prompt-caching guide, Oct 2026).
 */
import type { Breakpoint, Prompt } from '../prompt/prompt.ts';
import { inRenderOrder } from './marks.ts';
import type { CacheRules } from './rules.ts';

/** Written in one request, the provider's own mark included. The marks of Anthropic are counted by the API, which refuses a fifth. */
const MOST_AUTOMATIC_WRITES = 4;
/** Earlier message ends that a reader looks at, beside the newest one. */
const EARLIER_MESSAGE_ENDS = 20;

/** The marks at which this request writes, in render order. */
export function writtenMarks(prompt: Prompt, rules: CacheRules): readonly Breakpoint[] {
  const marks = inRenderOrder(prompt.breakpoints);
  if (!rules.setsMarks) return marks;
  const [end] = prompt.cacheMode === 'explicit' ? [] : newestMessageEnds(prompt, 1);
  if (end === undefined) return marks.slice(-MOST_AUTOMATIC_WRITES);
  const others = marks.filter(({ segment }) => segment !== end).slice(1 - MOST_AUTOMATIC_WRITES);
  const own = marks.find(({ segment }) => segment === end) ?? automaticMark(prompt, end);
  return inRenderOrder([...others, own]);
}

/** The segments at whose ends this request looks for entries, where the provider sets marks of its own. */
export function readSegments(prompt: Prompt): ReadonlySet<number> {
  const marks = prompt.breakpoints.map(({ segment }) => segment);
  if (prompt.cacheMode === 'explicit') return new Set(marks);
  const headEnd = prompt.headLength - 1;
  const head = isMessageEnd(prompt, headEnd) ? [headEnd] : [];
  return new Set([...marks, ...head, ...newestMessageEnds(prompt, 1 + EARLIER_MESSAGE_ENDS)]);
}

/** From the end: a prompt has hundreds of segments, and each call asks several times. */
function newestMessageEnds(prompt: Prompt, most: number): number[] {
  const ends: number[] = [];
  for (let index = prompt.segments.length - 1; index >= 0 && ends.length < most; index -= 1) {
    if (isMessageEnd(prompt, index)) ends.push(index);
  }
  return ends;
}

/** Ends of user messages, of groups of tool results, and of the leading system or developer messages. */
function isMessageEnd({ segments, headLength }: Prompt, index: number): boolean {
  const [segment, next] = [segments[index], segments[index + 1]];
  if (segment === undefined) return false;
  const { component, kind, role } = segment;
  if (component === 'system') return kind !== 'parameter' && index === headLength - 1;
  if (kind === 'tool_result') return next?.kind !== 'tool_result';
  return component === 'messages' && role === 'user' && (next === undefined || next.opensMessage === true);
}

function automaticMark({ segments, requestTtlMs }: Prompt, segment: number): Breakpoint {
  return {
    path: segments[segment]?.path ?? 'messages',
    segment,
    ttlMs: requestTtlMs,
    isAutomatic: true,
    isOnEmptyText: false,
  };
}
