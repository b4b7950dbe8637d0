/**
 * Divergence: the earliest point, in render order, where a prompt differs from its baseline other than by growing; its
 * kind, and the independent changes that it hides.
 */
import type { Divergence } from '../diagnosis.ts';
import type { Prompt, Segment, SegmentComponent } from '../prompt/prompt.ts';
import { segmentLabel } from '../prompt/segment-label.ts';
import { Difference } from './difference.ts';
import type { KindRule } from './kind-rule.ts';
import { KIND_RULES } from './kinds/index.ts';

export interface FoundDivergence {
  readonly divergence: Divergence;
  /** Index of the first differing segment, in the newer prompt. */
  readonly segment: number;
  /** `null` where the older text is no longer held. */
  readonly difference: Difference | null;
}

/**
 * Names the difference at segment `index`, the length of the shared prefix. Two siblings are two conversations: that their
 * messages differ is no change, and to name it would compare all of one with all of the other.
 */
export function nameDivergence(
  before: Prompt,
  after: Prompt,
  index: number,
  { isSibling }: { readonly isSibling: boolean },
): FoundDivergence {
  const difference = new Difference(before, after, index);
  const named = nameOf(difference);
  const also = laterChanges(before, after, difference, isSibling);
  return { segment: index, difference, divergence: { ...named, also } };
}

interface NamedDivergence extends Omit<Divergence, 'also'> {
  readonly component: SegmentComponent;
}

function nameOf(difference: Difference): NamedDivergence {
  const rules: readonly KindRule[] = KIND_RULES[difference.component];
  const rule = rules.find((candidate) => candidate.matches(difference)) ?? (rules.at(-1) as KindRule);
  const { path, leaf, byteOffset } = difference.place;
  const placed = rule.place?.(difference) ?? wholeBlock(difference, path);
  // A rule may point at where something was: the leaf of the newer body that stands at its turn is another place.
  const isElsewhere = !leaf.startsWith(placed);
  return {
    component: difference.component,
    kind: rule.kind,
    path: placed,
    leaf: isElsewhere ? placed : leaf,
    byteOffset: isElsewhere ? null : byteOffset,
    label: labelOf(isElsewhere || isGone(rule) ? { new: undefined, old: difference.old } : difference),
    advice: rule.advice,
  };
}

/** What was taken away is called by its own name, not by that of what stands in its slot now. */
function isGone({ kind }: KindRule): boolean {
  return kind === 'tools.removed';
}

/** A block that became another sort of block is named as a block, not by its `type` field. */
function wholeBlock({ component }: Difference, path: string): string {
  if (component === 'tools') return path.replace(/(\.function|\.toolSpec)?\.name$/, '');
  return component === 'parameters' || component === 'model' ? path : path.replace(/\.type$/, '');
}

/** Names a setting that stands apart from the rendered prompt. */
export function nameSetting(before: Prompt, after: Prompt, old: Segment, now: Segment): Divergence {
  const difference = new Difference(withSegments(before, [old]), withSegments(after, [now]), 0);
  return { ...nameOf(difference), also: [] };
}

/** Changes in other components that do not depend on this one: each is looked at as if all before it were equal. */
function laterChanges(
  before: Prompt,
  after: Prompt,
  first: Difference,
  isSibling: boolean,
): Divergence['also'] {
  const found: { component: SegmentComponent; kind: string; path: string }[] = [];
  for (const index of differingSegments(before, after, first, isSibling)) {
    const difference = new Difference(index.before, index.after, index.index);
    const { component, kind, path } = nameOf(difference);
    if (!found.some((other) => other.kind === kind)) found.push({ component, kind, path });
  }
  return found;
}

interface Aligned {
  readonly before: Prompt;
  readonly after: Prompt;
  readonly index: number;
}

/** Section by section behind the first difference: the sections of both prompts are padded to start together. */
function differingSegments(before: Prompt, after: Prompt, first: Difference, isSibling: boolean): Aligned[] {
  const places: Aligned[] = [];
  const [oldSections, newSections] = [sectionsOf(before), sectionsOf(after)];
  for (const [name, now] of newSections) {
    const old = oldSections.get(name);
    const section = sectionName((first.new ?? first.old) as Segment);
    if (!old || name === section || now.start < first.index) continue;
    if (isSibling && name === 'messages') continue;
    const index = firstDifference(old.segments, now.segments, name === 'messages');
    if (index < 0) continue;
    places.push({
      before: withSegments(before, old.segments),
      after: withSegments(after, now.segments),
      index,
    });
  }
  return places;
}

interface Section {
  readonly start: number;
  readonly segments: Segment[];
}

function sectionsOf(prompt: Prompt): Map<string, Section> {
  const sections = new Map<string, Section>();
  prompt.segments.forEach((segment, start) => {
    const name = sectionName(segment);
    const section = sections.get(name);
    if (section) section.segments.push(segment);
    else sections.set(name, { start, segments: [segment] });
  });
  return sections;
}

function sectionName(segment: Segment): string {
  return segment.kind === 'parameter' ? `parameter ${segment.name}` : segment.component;
}

function firstDifference(before: readonly Segment[], after: readonly Segment[], mayGrow: boolean): number {
  const length = Math.max(before.length, after.length);
  for (let index = 0; index < length; index += 1) {
    const [a, b] = [before[index], after[index]];
    if (a === undefined && mayGrow) return -1;
    if (!a || !b || !hasSameLeaves(a, b)) return index;
  }
  return -1;
}

function hasSameLeaves(a: Segment, b: Segment): boolean {
  return (
    a.leaves.length === b.leaves.length &&
    a.leaves.every(({ slot, text }, at) => slot === b.leaves[at]?.slot && text === b.leaves[at]?.text)
  );
}

function withSegments(prompt: Prompt, segments: readonly Segment[]): Prompt {
  const headLength = segments[0]?.component === 'messages' ? 0 : segments.length;
  return { ...prompt, segments, headLength };
}

function labelOf({ new: now, old }: Pick<Difference, 'new' | 'old'>): string {
  const segment = now ?? old;
  return segment ? segmentLabel(segment) : 'prompt';
}
