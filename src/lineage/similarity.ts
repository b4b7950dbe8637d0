/** How much two prompts have in common where they do not share a prefix: by hashes, and by text where it is still held. */
import { COMPONENT_CODES, type Fingerprint, isSameHead } from '../fingerprint/fingerprint.ts';
import { type Prompt, type SegmentComponent, textOf } from '../prompt/prompt.ts';
import type { Head } from './head.ts';

/**
 * The messages of one prompt, to be looked for in many others: a new conversation is held against each head of its scope,
 * and most have nothing in common with it. Half a hash tells that, as a number, which is looked up far faster than a bigint.
 */
export class MessageLookup {
  readonly #fingerprint: Fingerprint;
  #halves: Set<number> | undefined;

  constructor(fingerprint: Fingerprint) {
    this.#fingerprint = fingerprint;
  }

  mayOccurIn(other: Fingerprint): boolean {
    this.#halves ??= new Set(halvesOf(this.#fingerprint));
    for (const half of halvesOf(other)) if (this.#halves.has(half)) return true;
    return false;
  }
}

/** The first half of each message's hash. */
function halvesOf({ content, headLength }: Fingerprint): number[] {
  const words = new Uint32Array(content.buffer, content.byteOffset, content.length * 2);
  const halves: number[] = [];
  for (let at = headLength * 2; at < words.length; at += 2) halves.push(words[at] as number);
  return halves;
}

/** Share of the smaller side's messages (by text length) that occur, anywhere, in the other. */
export function messageOverlap(
  a: Fingerprint,
  b: Fingerprint,
): { share: number; segments: number; longest: number } {
  const [small, large] = a.content.length - a.headLength <= b.content.length - b.headLength ? [a, b] : [b, a];
  const known = new Map<bigint, number>();
  for (let index = large.headLength; index < large.content.length; index += 1) {
    const hash = large.content[index] as bigint;
    known.set(hash, (known.get(hash) ?? 0) + 1);
  }
  let shared = 0;
  let all = 0;
  let segments = 0;
  let longest = 0;
  for (let index = small.headLength; index < small.content.length; index += 1) {
    const hash = small.content[index] as bigint;
    const length = (small.lengths[index] as number) + 1;
    all += length;
    const left = known.get(hash) ?? 0;
    if (left === 0) continue;
    known.set(hash, left - 1);
    shared += length;
    segments += 1;
    longest = Math.max(longest, length);
  }
  return { share: all === 0 ? 0 : shared / all, segments, longest };
}

export type Likeness = 'same' | 'similar' | 'different';

/** Tools and system of two heads. Nothing on both sides is the same; nothing on one side is different. */
export function headLikeness(
  head: Head,
  prompt: Prompt,
  fingerprint: Fingerprint,
): { tools: Likeness; system: Likeness; model: Likeness } {
  if (isSameHead(head.fingerprint, fingerprint)) return { tools: 'same', system: 'same', model: 'same' };
  return {
    model: head.facts.model === prompt.model ? 'same' : 'different',
    tools: likeness('tools', head, prompt, fingerprint),
    system: likeness('system', head, prompt, fingerprint),
  };
}

function likeness(
  component: SegmentComponent,
  head: Head,
  prompt: Prompt,
  fingerprint: Fingerprint,
): Likeness {
  const before = contentOf(head.fingerprint, component);
  const after = contentOf(fingerprint, component);
  if (before.length === after.length && before.every((hash, index) => hash === after[index])) return 'same';
  if (before.length === 0 || after.length === 0) return 'different';
  const known = new Set(before);
  const shared = after.filter((hash) => known.has(hash)).length;
  if (shared / Math.max(before.length, after.length) > 0.5) return 'similar';
  if (head.prompt === null) return 'different';
  if (component === 'tools') return nameLikeness(head.prompt, prompt);
  return textLikeness(textOfComponent(head.prompt, component), textOfComponent(prompt, component)) >= 0.5
    ? 'similar'
    : 'different';
}

function contentOf(fingerprint: Fingerprint, component: SegmentComponent): bigint[] {
  const code = COMPONENT_CODES.indexOf(component);
  const hashes: bigint[] = [];
  for (let index = 0; index < fingerprint.headLength; index += 1) {
    if (fingerprint.components[index] === code) hashes.push(fingerprint.content[index] as bigint);
  }
  return hashes;
}

function nameLikeness(before: Prompt, after: Prompt): Likeness {
  const names = (prompt: Prompt) =>
    prompt.segments.filter(({ kind }) => kind === 'tool').map(({ name }) => name);
  const [a, b] = [new Set(names(before)), new Set(names(after))];
  const shared = [...b].filter((name) => a.has(name)).length;
  return shared / Math.max(a.size, b.size) > 0.5 ? 'similar' : 'different';
}

function textOfComponent(prompt: Prompt, component: SegmentComponent): string {
  return prompt.segments
    .slice(0, prompt.headLength)
    .filter((segment) => segment.component === component && segment.kind !== 'parameter')
    .map(textOf)
    .join('\n');
}

/** Share of the longer text that the common start and the common end make up: 1 for equal texts. */
export function textLikeness(a: string, b: string): number {
  const longest = Math.max(a.length, b.length);
  if (longest === 0) return 1;
  const shortest = Math.min(a.length, b.length);
  let start = 0;
  while (start < shortest && a.charCodeAt(start) === b.charCodeAt(start)) start += 1;
  let end = 0;
  while (end < shortest - start && a.charCodeAt(a.length - 1 - end) === b.charCodeAt(b.length - 1 - end))
    end += 1;
  return (start + end) / longest;
}
