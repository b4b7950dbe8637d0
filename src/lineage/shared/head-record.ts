/**
 * A head and its chunks as bytes. The first byte is the version: what another version wrote, or somebody else, is not read.
 *
 * The bulk of a head are its segments, and those are packed (`segment-record.ts`). The rest is small and of many shapes:
 * place in the lineage, facts of call and response, marks, what the cache is believed to hold of the conversation.
 */
import type { Entry } from '../../cache/entries.ts';
import type { Prompt } from '../../prompt/prompt.ts';
import type { Learned } from '../../tokens/learned.ts';
import type { Head } from '../head.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { readSegments, type SegmentRecord, writeSegments } from './segment-record.ts';

export interface HeadRecord
  extends Pick<Head, 'lineage' | 'index' | 'turn' | 'api' | 'scope' | 'thread' | 'facts' | 'outcome'> {
  readonly prompt: Omit<Prompt, 'segments' | 'suspects'>;
  readonly suspects: readonly SegmentRecord[];
  /** How many of its chunks are of the head of the prompt. */
  readonly headChunks: number;
  /** Segments behind the last full chunk, of the head and of the messages. */
  readonly headTail: readonly SegmentRecord[];
  readonly messageTail: readonly SegmentRecord[];
  /** What is cached of this conversation, by prefix. */
  readonly entries: readonly (readonly [prefix: bigint, entry: Entry])[];
  readonly learned: Learned;
}

/** Raised with every change of what stands here or in `segment-record.ts`. */
const VERSION = 1;

export function packHead({ suspects, headTail, messageTail, entries, ...rest }: HeadRecord): Uint8Array {
  const to = new ByteWriter();
  to.byte(VERSION);
  to.text(JSON.stringify(rest));
  for (const segments of [suspects, headTail, messageTail]) writeSegments(to, segments);
  to.list(entries, ([prefix, entry]) => {
    to.hash(prefix);
    to.text(JSON.stringify(entry));
  });
  return to.done();
}

export function unpackHead(bytes: Uint8Array): HeadRecord | undefined {
  return unpack(bytes, (from) => ({
    ...JSON.parse(from.text()),
    suspects: readSegments(from),
    headTail: readSegments(from),
    messageTail: readSegments(from),
    entries: from.list(() => [from.hash(), JSON.parse(from.text())]),
  }));
}

export function packChunk(segments: readonly SegmentRecord[]): Uint8Array {
  const to = new ByteWriter();
  to.byte(VERSION);
  writeSegments(to, segments);
  return to.done();
}

export function unpackChunk(bytes: Uint8Array): SegmentRecord[] | undefined {
  return unpack(bytes, readSegments);
}

/** `undefined`: not ours. */
function unpack<Value>(bytes: Uint8Array, read: (from: ByteReader) => Value): Value | undefined {
  try {
    const from = new ByteReader(bytes);
    return from.byte() === VERSION ? read(from) : undefined;
  } catch {
    return undefined;
  }
}
