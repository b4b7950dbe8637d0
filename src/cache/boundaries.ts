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
  const end = prompt.cacheMode === 'explicit' ? undefined : messageEnds(prompt).at(-1);
  if (end === undefined) return marks.slice(-MOST_AUTOMATIC_WRITES);
  const others = marks.filter(({ segment }) => segment !== end).slice(1 - MOST_AUTOMATIC_WRITES);
  const own = marks.find(({ segment }) => segment === end) ?? automaticMark(prompt, end);
  return inRenderOrder([...others, own]);
}

/** The segments at whose ends this request looks for entries, where the provider sets marks of its own. */
export function readSegments(prompt: Prompt): ReadonlySet<number> {
  const marks = prompt.breakpoints.map(({ segment }) => segment);
  if (prompt.cacheMode === 'explicit') return new Set(marks);
  const ends = messageEnds(prompt);
  const head = ends.filter((segment) => segment < prompt.headLength);
  return new Set([...marks, ...head, ...ends.slice(-1 - EARLIER_MESSAGE_ENDS)]);
}

/** Ends of user messages, of groups of tool results, and of the leading system or developer messages. */
function messageEnds({ segments, headLength }: Prompt): number[] {
  return segments.flatMap(({ component, kind, role }, index) => {
    const next = segments[index + 1];
    const isEnd =
      component === 'system'
        ? kind !== 'parameter' && index === headLength - 1
        : kind === 'tool_result'
          ? next?.kind !== 'tool_result'
          : component === 'messages' && role === 'user' && (next === undefined || next.opensMessage === true);
    return isEnd ? [index] : [];
  });
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
