/**
 * A cache that matches by tokens reads into the block that changed, up to the first changed character; one that matches
 * at boundaries does not.
 */
import type { Leaf } from '../prompt/prompt.ts';
import type { Judged } from './judged.ts';

/** Tokens of the differing segment in front of the change; 0 where the older text is no longer held. */
export function sharedIntoSegment({ before, prompt, divergedAt, usage }: Judged): number {
  if (before === null || divergedAt === null || usage === null) return 0;
  const old = before.segments[divergedAt]?.leaves ?? [];
  const now = prompt.segments[divergedAt]?.leaves ?? [];
  const characters = commonCharacters(old, now);
  const all = prompt.segments.reduce((sum, { leaves }) => sum + charactersOf(leaves), 0);
  return all === 0 ? 0 : Math.floor((usage.input * characters) / all);
}

function charactersOf(leaves: readonly Leaf[]): number {
  return leaves.reduce((sum, { text }) => sum + text.length, 0);
}

function commonCharacters(old: readonly Leaf[], now: readonly Leaf[]): number {
  let common = 0;
  for (const [index, leaf] of now.entries()) {
    const other = old[index];
    if (other?.slot !== leaf.slot) return common;
    if (other.text !== leaf.text) return common + commonStart(other.text, leaf.text);
    common += leaf.text.length;
  }
  return common;
}

function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return length;
}
