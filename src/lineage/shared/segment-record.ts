/**
 * Segments as bytes: shape, hashes and lengths, and their texts only where the store keeps content. Names and paths are
 * what a diagnosis prints of a prompt; ids are kept as hashes, since they need only be equal or not.
 */

import { canonical } from '../../divergence/recognise/json-order.ts';
import { COMPONENT_CODES } from '../../fingerprint/fingerprint.ts';
import type { Hasher } from '../../fingerprint/hash.ts';
import type { Leaf, Segment, SegmentKind } from '../../prompt/prompt.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';
import { hash32, readSketch, sketchOf, type TextSketch, writeSketch } from './text-sketch.ts';

export interface SegmentRecord extends Omit<Segment, 'leaves' | 'callId' | 'known'> {
  readonly known: { readonly hash: bigint; readonly length: number };
  /** Hash of the id that pairs a call with its result. */
  readonly call: number | null;
  /** Hash of what it says in any order, where it has an order. */
  readonly anyOrder: number | null;
  readonly leaves: readonly LeafRecord[];
}

export interface LeafRecord extends Pick<Leaf, 'slot' | 'at' | 'isString' | 'sent'> {
  readonly hash: number;
  readonly length: number;
  readonly sketch: TextSketch | null;
  /** Where the store keeps content. */
  readonly text: string | null;
}

export function recordOf(
  segment: Segment,
  known: SegmentRecord['known'],
  hasher: Hasher,
  keepsContent: boolean,
): SegmentRecord {
  const { leaves, callId, ...shape } = segment;
  return {
    ...shape,
    known,
    call: callId === undefined ? null : hash32(callId, hasher),
    anyOrder: !keepsContent && hasOrder(segment) ? anyOrderHash(segment, hasher) : null,
    leaves: leaves.map(({ slot, at, isString, text, sent }) => ({
      slot,
      at,
      isString,
      sent: keepsContent ? sent : undefined,
      hash: hash32(text, hasher),
      length: text.length,
      text: keepsContent ? text : null,
      sketch: keepsContent || !isString || slot === 'role' ? null : sketchOf(text, segment, hasher),
    })),
  };
}

function hasOrder({ kind, leaves }: Segment): boolean {
  return leaves.length > 2 && (kind === 'tool' || kind === 'tool_use');
}

export function anyOrderHash({ leaves }: Segment, hasher: Hasher): number {
  return hash32(canonical(leaves).join('\u0002'), hasher);
}

const KINDS: readonly SegmentKind[] = [
  'parameter',
  'tool',
  'text',
  'thinking',
  'media',
  'tool_use',
  'tool_result',
  'opaque',
];

/** Field by field, not segment by segment: like stands beside like, which packs to a third. */
export function writeSegments(to: ByteWriter, segments: readonly SegmentRecord[]): void {
  const leaves = segments.flatMap((segment) => segment.leaves);
  to.list(segments, ({ component, kind, opensMessage, holdsImage }) => {
    to.byte(COMPONENT_CODES.indexOf(component) * KINDS.length + KINDS.indexOf(kind));
    to.byte(Number(opensMessage === true) + 2 * Number(holdsImage === true));
  });
  for (const { path } of segments) to.text(path);
  for (const { role } of segments) to.textOrNull(role);
  for (const { name } of segments) to.textOrNull(name);
  for (const { messageIndex } of segments) to.count(messageIndex === undefined ? 0 : messageIndex + 1);
  for (const { known } of segments) to.count(known.length);
  for (const segment of segments) to.count(segment.leaves.length);
  for (const { slot } of leaves) to.text(slot);
  for (const { at } of leaves) to.text(at);
  for (const { isString, text, sent } of leaves) {
    to.byte(Number(isString) + 2 * Number(text !== null) + 4 * Number(sent !== undefined));
  }
  for (const { length } of leaves) to.count(length);
  for (const { sketch } of leaves) writeSketch(to, sketch);
  for (const { text, sent } of leaves) {
    if (text !== null) to.text(text);
    if (sent !== undefined) to.text(sent);
  }
  for (const { call } of segments) {
    to.byte(Number(call !== null));
    if (call !== null) to.bits32(call);
  }
  for (const { anyOrder } of segments) {
    to.byte(Number(anyOrder !== null));
    if (anyOrder !== null) to.bits32(anyOrder);
  }
  for (const { known } of segments) to.hash(known.hash);
  // The segment's own hash tells its only text as well.
  for (const segment of segments)
    if (!isTold(segment)) for (const { hash } of segment.leaves) to.bits32(hash);
}

/** One text and a role: whoever has the segment's hash has both. */
function isTold({ kind, leaves }: Pick<SegmentRecord, 'kind' | 'leaves'>): boolean {
  // The values of settings are few and found by themselves.
  if (kind === 'parameter') return false;
  return leaves.length <= 2 && leaves.filter(({ slot }) => slot !== 'role').length <= 1;
}

export function readSegments(from: ByteReader): SegmentRecord[] {
  const shapes = from.list(() => ({ codes: from.byte(), flags: from.byte() }));
  const each = <Value>(read: () => Value): Value[] => shapes.map(read);
  const paths = each(() => from.text());
  const roles = each(() => from.textOrNull());
  const names = each(() => from.textOrNull());
  const messageIndices = each(() => from.count());
  const lengths = each(() => from.count());
  const sizes = each(() => from.count());
  const leaves = sizes.map((size) =>
    Array.from({ length: bounded(size) }, (): Partial<Writable<LeafRecord>> => ({})),
  );
  const all = leaves.flat();
  for (const leaf of all) leaf.slot = from.text();
  for (const leaf of all) leaf.at = from.text();
  const flags = all.map(() => from.byte());
  all.forEach((leaf, index) => {
    leaf.isString = ((flags[index] as number) & 1) !== 0;
  });
  for (const leaf of all) leaf.length = from.count();
  for (const leaf of all) leaf.sketch = readSketch(from);
  all.forEach((leaf, index) => {
    leaf.text = (flags[index] as number) & 2 ? from.text() : null;
    leaf.sent = (flags[index] as number) & 4 ? from.text() : undefined;
  });
  const calls = each(() => (from.byte() === 0 ? null : from.bits32()));
  const anyOrders = each(() => (from.byte() === 0 ? null : from.bits32()));
  const hashes = each(() => from.hash());
  leaves.forEach((list, index) => {
    const kind = KINDS[(shapes[index]?.codes ?? 0) % KINDS.length] ?? 'opaque';
    const told = isTold({ kind, leaves: list as LeafRecord[] });
    for (const leaf of list) leaf.hash = told ? 0 : from.bits32();
  });
  return shapes.map(({ codes, flags: bits }, index) => ({
    component: COMPONENT_CODES[Math.floor(codes / KINDS.length)] ?? 'messages',
    kind: KINDS[codes % KINDS.length] ?? 'opaque',
    path: paths[index] as string,
    role: roles[index] ?? undefined,
    name: names[index] ?? undefined,
    messageIndex: messageIndices[index] === 0 ? undefined : (messageIndices[index] as number) - 1,
    holdsImage: (bits & 2) !== 0 || undefined,
    opensMessage: (bits & 1) !== 0 || undefined,
    known: { hash: hashes[index] as bigint, length: lengths[index] as number },
    call: calls[index] ?? null,
    anyOrder: anyOrders[index] ?? null,
    leaves: leaves[index] as LeafRecord[],
  }));
}

type Writable<Type> = { -readonly [Name in keyof Type]: Type[Name] };

const MOST_LEAVES = 1_000_000;

function bounded(size: number): number {
  if (size > MOST_LEAVES) throw new RangeError('not a number of leaves');
  return size;
}
