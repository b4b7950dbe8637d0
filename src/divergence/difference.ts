/**
 * Difference: two prompts and the place where they part, with what the rules of kinds ask for again and again.
 * Everything is computed when first asked for: most divergences are named by their first rule.
 */
import {
  type Leaf,
  leafPath,
  type Prompt,
  type Segment,
  type SegmentComponent,
  textOf,
} from '../prompt/prompt.ts';
import { firstDifferingByte, spanBetween, type TextSpan } from './text-span.ts';

export class Difference {
  readonly before: Prompt;
  readonly after: Prompt;
  /** Index, in both prompts' segments, of the first one that differs. */
  readonly index: number;
  readonly component: SegmentComponent;
  readonly old: Segment | undefined;
  readonly new: Segment | undefined;

  constructor(before: Prompt, after: Prompt, index: number) {
    this.before = before;
    this.after = after;
    this.index = index;
    const old = before.segments[index];
    const now = after.segments[index];
    this.component = componentAt(old, now);
    // A list that ended on one side only has nothing there: the other side's next component is not its counterpart.
    this.old = old?.component === this.component ? old : undefined;
    this.new = now?.component === this.component ? now : undefined;
  }

  /** First leaf that differs, on both sides where both have it. */
  get leaf(): { readonly old: Leaf | undefined; readonly new: Leaf | undefined } {
    const before = this.old?.leaves ?? [];
    const after = this.new?.leaves ?? [];
    for (let index = 0; index < Math.max(before.length, after.length); index += 1) {
      const [a, b] = [before[index], after[index]];
      if (a?.slot !== b?.slot || a?.text !== b?.text) return { old: a, new: b };
    }
    return { old: undefined, new: undefined };
  }

  /** The change inside the first differing string; `undefined` where it is not a string that changed. */
  get span(): TextSpan | undefined {
    const { old, new: now } = this.leaf;
    if (!old || !now || old.slot !== now.slot || !old.isString || !now.isString) return undefined;
    const span = spanBetween(old.text, now.text);
    return old.unknown ? { ...span, unknown: old.unknown } : span;
  }

  get place(): { path: string; leaf: string; byteOffset: number | null } {
    const { old, new: now } = this.leaf;
    const newPath = this.new?.path ?? this.old?.path ?? this.component;
    if (!this.new || !this.old) return { path: newPath, leaf: newPath, byteOffset: null };
    if (!now || !old || old.slot !== now.slot) return this.#placeOfMissingLeaf(old, now);
    const leaf = leafPath(this.new, now);
    const byteOffset =
      old.isString && now.isString && !old.unknown
        ? firstDifferingByte(old.sent ?? old.text, now.sent ?? now.text)
        : null;
    return { path: leaf, leaf, byteOffset };
  }

  /** One side has a leaf that the other lacks: the slot where it stands, or would stand. */
  #placeOfMissingLeaf(
    old: Leaf | undefined,
    now: Leaf | undefined,
  ): { path: string; leaf: string; byteOffset: number | null } {
    const segment = this.new as Segment;
    const isNewSlot = now && !this.old?.leaves.some((leaf) => leaf.slot === now.slot);
    const missing = isNewSlot ? now : (old ?? now);
    const path = missing && missing.slot !== 'role' ? leafPath(segment, missing) : segment.path;
    return { path, leaf: path, byteOffset: null };
  }

  get oldText(): string {
    return this.old ? textOf(this.old) : '';
  }

  get newText(): string {
    return this.new ? textOf(this.new) : '';
  }

  /** All old or new segments of the component, from the difference on. */
  oldTail(): readonly Segment[] {
    return this.before.segments.slice(this.index).filter(({ component }) => component === this.component);
  }

  newTail(): readonly Segment[] {
    return this.after.segments.slice(this.index).filter(({ component }) => component === this.component);
  }

  of(prompt: Prompt): readonly Segment[] {
    return prompt.segments.filter(
      ({ component, kind }) => component === this.component && kind !== 'parameter',
    );
  }
}

/** Lists are walked to their ends: where one ends first, the difference is still its. */
function componentAt(old: Segment | undefined, now: Segment | undefined): SegmentComponent {
  for (const component of ['tools', 'system', 'messages'] as const) {
    if (old?.component === component && old.kind !== 'parameter') return component;
    if (now?.component === component && now.kind !== 'parameter') return component;
  }
  return old?.component ?? now?.component ?? 'messages';
}

/** One string for one segment's content: equal strings for equal content. */
export function contentKey(segment: Segment): string {
  return segment.leaves
    .filter(({ slot }) => slot !== 'role')
    .map(({ slot, text }) => `${slot}\u0001${text}`)
    .join('\u0002');
}

/** Equal content, whatever the borders, roles and spelling of the place. */
export function isSameContent(a: Segment | undefined, b: Segment | undefined): boolean {
  return a !== undefined && b !== undefined && contentKey(a) === contentKey(b);
}
