/**
 * Fingerprint: hashes of all segments and the running hash of each prefix. It holds no content and is all that has to be
 * kept of a prompt to find out later how far another one agrees with it.
 *
 * The head (everything before the messages) and the messages have chains of their own, since a conversation can be
 * recognised by its messages when the head has changed. A whole prefix is the pair of both: `prefixAt`.
 */
import type { Prompt, Segment, SegmentComponent } from '../prompt/prompt.ts';
import type { Hasher } from './hash.ts';

export interface Fingerprint {
  /** Content of each segment: what it says, without its place or its role. */
  readonly content: BigUint64Array;
  /** Running hash over content, role and message borders: up to and with each segment, of the head or of the messages. */
  readonly chain: BigUint64Array;
  readonly headLength: number;
  /** UTF-8 size of each segment's text, approximated by its UTF-16 length: for shares, never printed. */
  readonly lengths: Uint32Array;
  readonly components: Uint8Array;
}

export const COMPONENT_CODES: readonly SegmentComponent[] = [
  'model',
  'tools',
  'system',
  'parameters',
  'messages',
];

const SEED = 0x5eedn;

/** Of a prompt whose first segments are known, where it continues another. */
interface KnownPrefix {
  readonly fingerprint: Fingerprint;
  readonly segments: number;
}

export function fingerprintOf(prompt: Prompt, hasher: Hasher, known?: KnownPrefix): Fingerprint {
  const pieces = fingerprintPieces(prompt, hasher, known);
  let piece = pieces.next();
  while (piece.done !== true) piece = pieces.next();
  return piece.value;
}

/** About a millisecond of hashing. */
const CHARACTERS_A_PIECE = 512 * 1024;

/** Stops now and then, so that a long prompt does not hold up the event loop. */
export function* fingerprintPieces(
  prompt: Prompt,
  hasher: Hasher,
  known?: KnownPrefix,
): Generator<void, Fingerprint> {
  const size = prompt.segments.length;
  const { content, chain, lengths, components } = emptyColumns(size);
  const from = known?.segments ?? 0;
  let hashed = 0;
  if (known) {
    content.set(known.fingerprint.content.subarray(0, from));
    chain.set(known.fingerprint.chain.subarray(0, from));
    lengths.set(known.fingerprint.lengths.subarray(0, from));
    components.set(known.fingerprint.components.subarray(0, from));
  }
  for (let index = from; index < size; index += 1) {
    const segment = prompt.segments[index] as Segment;
    const { hash, length } = segment.known ?? hashOf(segment, hasher);
    content[index] = hash;
    lengths[index] = length;
    components[index] = COMPONENT_CODES.indexOf(segment.component);
    const previous = index === 0 || index === prompt.headLength ? SEED : (chain[index - 1] as bigint);
    chain[index] = hasher.chain(previous, hash ^ placeOf(segment, hasher));
    hashed += length;
    if (hashed < CHARACTERS_A_PIECE) continue;
    hashed = 0;
    yield;
  }
  return { content, chain, headLength: prompt.headLength, lengths, components };
}

/** On one buffer, the widest first: to make a buffer and to give it back takes longer than to fill it. */
function emptyColumns(size: number): Pick<Fingerprint, 'content' | 'chain' | 'lengths' | 'components'> {
  const buffer = new ArrayBuffer(size * HASH_BYTES_A_SEGMENT);
  return {
    content: new BigUint64Array(buffer, 0, size),
    chain: new BigUint64Array(buffer, size * 8, size),
    lengths: new Uint32Array(buffer, size * 16, size),
    components: new Uint8Array(buffer, size * 20, size),
  };
}

/** Two hashes, a length and a component. */
export const HASH_BYTES_A_SEGMENT = 8 + 8 + 4 + 1;

/** Role and border are mixed in beside the content, so that a moved border changes the prefix and not the content. */
function placeOf(segment: Segment, hasher: Hasher): bigint {
  if (segment.component !== 'messages' && !segment.opensMessage) return 0n;
  const key = `${segment.opensMessage ? '>' : '+'}${segment.role ?? ''}`;
  let place = PLACES.get(key);
  if (place === undefined) {
    place = hasher.text(`\u0000place ${key}`);
    if (PLACES.size < 1_000) PLACES.set(key, place);
  }
  return place;
}

/** Owner: this module. A handful of roles; the cap holds against a body that makes up its own. */
const PLACES = new Map<string, bigint>();

function hashOf(segment: Segment, hasher: Hasher): { hash: bigint; length: number } {
  let text = '';
  let length = 0;
  for (const leaf of segment.leaves) {
    if (leaf.slot === 'role') continue;
    text += `${leaf.slot}\u0001${leaf.text}\u0002`;
    // The name of the field is rendered with its value, its path is not.
    length += leaf.text.length + leaf.slot.length - leaf.slot.lastIndexOf('.') + 1;
  }
  return { hash: hasher.text(text), length };
}

/** Length of the common prefix of two chains from `start` on: binary search, since a chain never agrees again once it differs. */
function sharedFrom(
  a: Fingerprint,
  aStart: number,
  aEnd: number,
  b: Fingerprint,
  bStart: number,
  bEnd: number,
): number {
  let low = 0;
  let high = Math.min(aEnd - aStart, bEnd - bStart);
  // Most conversations part with their first message.
  if (high === 0 || a.chain[aStart] !== b.chain[bStart]) return 0;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (a.chain[aStart + middle - 1] === b.chain[bStart + middle - 1]) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function sharedHead(a: Fingerprint, b: Fingerprint): number {
  return sharedFrom(a, 0, a.headLength, b, 0, b.headLength);
}

export function isSameHead(a: Fingerprint, b: Fingerprint): boolean {
  return a.headLength === b.headLength && sharedHead(a, b) === a.headLength;
}

export function sharedMessages(a: Fingerprint, b: Fingerprint): number {
  return sharedFrom(a, a.headLength, a.chain.length, b, b.headLength, b.chain.length);
}

export function messageCount(fingerprint: Fingerprint): number {
  return fingerprint.chain.length - fingerprint.headLength;
}

/** Segments that both prompts have in common from the start: the length of the shared prefix. */
export function sharedPrefix(a: Fingerprint, b: Fingerprint): number {
  const head = sharedHead(a, b);
  if (head < a.headLength || head < b.headLength) return head;
  return head + sharedMessages(a, b);
}

/** Names the prefix that ends with segment `index`. */
export function prefixAt(fingerprint: Fingerprint, index: number, hasher: Hasher): bigint {
  const { chain, headLength } = fingerprint;
  if (index < 0) return SEED;
  if (index < headLength) return chain[index] as bigint;
  const head = headLength > 0 ? (chain[headLength - 1] as bigint) : SEED;
  return hasher.chain(head, chain[index] as bigint);
}
