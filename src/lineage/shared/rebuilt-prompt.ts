/**
 * The prompt of a head that another process saw, rebuilt as far as the newer prompt tells: what both hold in common is
 * known by its hash, and has its text again. A text that changed is not: another stands in for it, and rules ask its sketch.
 */
import type { Hasher } from '../../fingerprint/hash.ts';
import type { Leaf, Prompt, Segment } from '../../prompt/prompt.ts';
import type { HeadRecord } from './head-record.ts';
import { anyOrderHash, type LeafRecord, type SegmentRecord } from './segment-record.ts';
import { hash32, standIn, unknownText } from './text-sketch.ts';

/** Texts of one prompt, to be found by their hashes. Made when first asked for: most calls only grow. */
export class KnownTexts {
  readonly #prompt: Prompt;
  readonly #content: BigUint64Array;
  readonly hasher: Hasher;
  #segments: Map<bigint, Segment> | undefined;
  #texts: Map<number, string> | undefined;

  constructor(prompt: Prompt, content: BigUint64Array, hasher: Hasher) {
    this.#prompt = prompt;
    this.#content = content;
    this.hasher = hasher;
  }

  at(index: number, hash: bigint): Segment | undefined {
    return this.#content[index] === hash ? this.#prompt.segments[index] : undefined;
  }

  segment(hash: bigint): Segment | undefined {
    if (!this.#segments) {
      this.#segments = new Map();
      for (const [index, segment] of this.#prompt.segments.entries()) {
        this.#segments.set(this.#content[index] as bigint, segment);
      }
    }
    return this.#segments.get(hash);
  }

  /** The text that stands where an older one stood. */
  counterpart(index: number, slot: string): Leaf | undefined {
    return this.#prompt.segments[index]?.leaves.find((leaf) => leaf.slot === slot);
  }

  text(hash: number): string | undefined {
    if (!this.#texts) {
      this.#texts = new Map();
      for (const { leaves, callId } of [...this.#prompt.segments, ...this.#prompt.suspects]) {
        for (const { text } of leaves) this.#texts.set(hash32(text, this.hasher), text);
        if (callId !== undefined) this.#texts.set(hash32(callId, this.hasher), callId);
      }
    }
    return this.#texts.get(hash);
  }
}

export function rebuiltPrompt(
  record: HeadRecord,
  segments: readonly SegmentRecord[],
  known: KnownTexts,
): Prompt {
  return {
    ...record.prompt,
    segments: segments.map((segment, index) => rebuilt(segment, index, known)),
    suspects: record.suspects.map((segment) => rebuilt(segment, -1, known)),
  };
}

function rebuilt(record: SegmentRecord, index: number, known: KnownTexts): Segment {
  const here = index < 0 ? undefined : known.at(index, record.known.hash);
  if (here && isSamePlace(here, record)) return here;
  const { call, anyOrder, leaves, ...shape } = record;
  const same = index < 0 ? undefined : known.segment(record.known.hash);
  const callId = call === null ? undefined : (known.text(call) ?? `unknown ${call}`);
  const segment = { ...shape, callId, leaves: rebuiltLeaves(record, same, index, known) };
  if (anyOrder === null || same) return segment;
  const isPermutation = (of: Segment) => anyOrderHash(of, known.hasher) === anyOrder;
  return { ...segment, known: { ...record.known, isPermutation } };
}

function isSamePlace(segment: Segment, record: SegmentRecord): boolean {
  return (
    segment.path === record.path &&
    segment.name === record.name &&
    segment.role === record.role &&
    segment.opensMessage === record.opensMessage &&
    segment.leaves.length === record.leaves.length
  );
}

/** `same`: a segment of the newer prompt with the same content. */
function rebuiltLeaves(
  { leaves, role, known: { hash } }: SegmentRecord,
  same: Segment | undefined,
  index: number,
  known: KnownTexts,
): Leaf[] {
  const contents = same?.leaves.filter(({ slot }) => slot !== 'role') ?? [];
  let at = 0;
  return leaves.map((leaf) => {
    if (leaf.slot === 'role') return { slot: 'role', at: leaf.at, isString: true, text: role ?? '' };
    const other = contents[at++];
    const told = other?.slot === leaf.slot ? other : undefined;
    return rebuiltLeaf(leaf, told, known.counterpart(index, leaf.slot), hash, known);
  });
}

function rebuiltLeaf(
  record: LeafRecord,
  same: Leaf | undefined,
  counterpart: Leaf | undefined,
  segmentHash: bigint,
  known: KnownTexts,
): Leaf {
  const { slot, at, isString, hash, length, sketch } = record;
  const text = record.text ?? same?.text ?? (hash === 0 ? undefined : known.text(hash));
  if (text !== undefined) return { slot, at, isString, text, sent: record.sent ?? same?.sent };
  const { hasher } = known;
  const likely = standIn(sketch, length, counterpart?.text ?? '', hasher);
  const isText = (other: string) =>
    hash === 0 ? hasher.text(`${slot}\u0001${other}\u0002`) === segmentHash : hash32(other, hasher) === hash;
  const leaf = { slot, at, isString, text: likely };
  return isText(likely) ? leaf : { ...leaf, unknown: unknownText(sketch, isText, hasher) };
}
