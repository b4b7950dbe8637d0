/** Which difference between a call and its baseline counts as a divergence, by how the two are related. */
import type { Divergence } from '../diagnosis.ts';
import { COMPONENT_CODES, type Fingerprint, sharedPrefix } from '../fingerprint/fingerprint.ts';
import type { Baseline } from '../lineage/choose.ts';
import { leafPath, type Prompt, type Segment } from '../prompt/prompt.ts';
import { type FoundDivergence, nameDivergence, nameSetting } from './find.ts';
import { KIND_RULES } from './kinds/index.ts';
import { switched } from './kinds/model/switched.ts';

export interface Comparison {
  /** Segments that both prompts share from the start. */
  readonly shared: number;
  readonly found: FoundDivergence | null;
  /** Where the prompts part, divergence or not; `null` for growth. */
  readonly partedAt: number | null;
}

export interface Compared {
  readonly prompt: Prompt;
  readonly fingerprint: Fingerprint;
  readonly baseline: Baseline;
  /** The baseline's prompt, where it is still held. */
  readonly before: Prompt | null;
}

/** Kinds that no one means to happen: worth telling of even between two conversations that could have shared a head. */
const ACCIDENTS: ReadonlySet<string> = new Set([
  'tools.reordered',
  'tools.schema_order',
  'tools.description_volatile',
  'system.timestamp',
  'system.random_id',
  'system.date_rollover',
]);

export function compare(call: Compared): Comparison {
  const { baseline, fingerprint, before, prompt } = call;
  const shared = sharedPrefix(baseline.head.fingerprint, fingerprint);
  if (shared === baseline.head.fingerprint.chain.length) return { shared, found: null, partedAt: null };
  if (isMeant(call, shared)) return { shared, found: null, partedAt: shared };
  const isSibling = baseline.relation === 'sibling';
  const named =
    before === null ? coarse(call, shared) : nameDivergence(before, prompt, shared, { isSibling });
  const isHarmless = isSibling && !ACCIDENTS.has(named.divergence.kind);
  return { shared, found: isHarmless ? null : named, partedAt: shared };
}

/** Known without a name, which is dear: a branch, and another conversation that says other things under the same head. */
function isMeant({ baseline: { head, relation }, fingerprint }: Compared, shared: number): boolean {
  if (relation === 'branches') return true;
  return relation === 'sibling' && shared >= Math.max(head.fingerprint.headLength, fingerprint.headLength);
}

/** The older text is gone: hashes still say where, but not why. */
function coarse({ prompt, baseline }: Compared, shared: number): FoundDivergence {
  const segment = prompt.segments[shared];
  const component =
    segment?.component ?? COMPONENT_CODES[baseline.head.fingerprint.components[shared] ?? 4] ?? 'messages';
  const rule = KIND_RULES[component].at(-1);
  const path = segment?.path ?? component;
  const divergence: Divergence = {
    component,
    kind: rule?.kind ?? `${component}.changed`,
    path,
    leaf: path,
    byteOffset: null,
    label: component,
    also: [],
    advice: rule?.advice ?? '',
  };
  return { divergence, segment: shared, difference: null };
}

/** Another model answered behind a name that stayed: an alias was moved, or a router chose otherwise. */
export function changedAlias(before: string | null, after: string | null): Divergence | null {
  if (before === null || after === null || before === after) return null;
  return {
    component: 'model',
    kind: 'model.switched',
    path: 'model',
    leaf: 'model',
    byteOffset: null,
    label: `model ${after}`,
    also: [],
    advice: switched.advice,
  };
}

/** The first setting without documented effect that changed. */
export function changedSuspect(before: Prompt | null, after: Prompt): Divergence | null {
  if (!before) return null;
  for (const [index, now] of after.suspects.entries()) {
    const old = before.suspects[index];
    if (old && textKey(old) !== textKey(now)) return nameSetting(before, after, old, now);
  }
  return null;
}

function textKey(segment: Segment): string {
  return segment.leaves.map((leaf) => `${leafPath(segment, leaf)}=${leaf.text}`).join('\n');
}
