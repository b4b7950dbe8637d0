/**
 * Faults of cache marks: the content may be equal or only grown, and still nothing is read, because of where the marks
 * stand. Component `breakpoints`; the miss that each leads to is named beside it.
 */
import type { Divergence, Miss } from '../diagnosis.ts';
import type { Breakpoint, Prompt } from '../prompt/prompt.ts';
import type { CacheRules } from './rules.ts';

export interface MarkFault {
  readonly divergence: Divergence;
  readonly miss: Miss;
}

const ADVICE: Record<string, string> = {
  'breakpoints.missing':
    'Set `cache_control` on the last block of the newest message and at the end of tools and system, or once at the top level (automatic caching).',
  'breakpoints.moved':
    'Let the last mark move forward with the conversation only: a reader looks backwards from its marks and never finds an entry that ends behind them.',
  'breakpoints.too_many':
    'At most four marks count in one request, the automatic one included: let one place in the code set them.',
  'breakpoints.empty_block':
    'Put the mark on the last block that has text; an empty text block cannot carry one.',
  'breakpoints.volatile_block':
    'Put the mark on the last block that stays the same, in front of the question that changes.',
};

export function markFault(kind: string, path: string, miss: Miss): MarkFault {
  const divergence: Divergence = {
    component: 'breakpoints',
    kind,
    path,
    leaf: path,
    byteOffset: null,
    label: 'cache mark',
    also: [],
    advice: ADVICE[kind] ?? '',
  };
  return { divergence, miss };
}

/** What the API refuses: it answers 400, and every later request that keeps the block fails too. */
export function rejectedMarks(prompt: Prompt, rules: CacheRules): MarkFault | null {
  const marks = inRenderOrder(prompt.breakpoints);
  const excess = marks[rules.maximumBreakpoints];
  if (excess) return markFault('breakpoints.too_many', excess.path, 'request_rejected');
  const empty = marks.find(({ isOnEmptyText }) => isOnEmptyText);
  return empty ? markFault('breakpoints.empty_block', empty.path, 'request_rejected') : null;
}

export function inRenderOrder(breakpoints: readonly Breakpoint[]): readonly Breakpoint[] {
  return [...breakpoints].sort(
    (a, b) => a.segment - b.segment || Number(a.isAutomatic) - Number(b.isAutomatic),
  );
}

/** The mark was on this block before and is gone, or there never was one where a conversation would need it. */
export function missingMarkPath(before: Prompt | null, after: Prompt): string {
  const lost = before && inRenderOrder(before.breakpoints)[0];
  if (lost) return lost.path;
  const system = after.segments
    .filter(({ component, kind }) => component === 'system' && kind !== 'parameter')
    .at(-1);
  const last = system ?? after.segments.at(-1);
  return `${last?.path ?? 'messages'}.cache_control`;
}

/** Where a mark would let the growing part be read: the last block of the newest message. */
export function growingEndPath(prompt: Prompt): string {
  return `${prompt.segments.at(-1)?.path ?? 'messages'}.cache_control`;
}
