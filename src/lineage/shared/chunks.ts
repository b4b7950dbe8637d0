/**
 * How the segments of a prompt are cut into chunks. Only full ones are stored by themselves; what is behind the last of
 * them goes with the head, and is written anew with it.
 */
import type { Fingerprint } from '../../fingerprint/fingerprint.ts';

/** Definitions of tools have many leaves, messages few. */
const SEGMENTS_A_HEAD_CHUNK = 8;
const SEGMENTS_A_MESSAGE_CHUNK = 32;

interface ChunkSpan {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

interface Chunking {
  readonly chunks: readonly ChunkSpan[];
  /** How many of them are of the head. */
  readonly headChunks: number;
  /** Where what goes with the head begins, in the head of the prompt and in the messages. */
  readonly headTail: number;
  readonly messageTail: number;
}

export function chunkingOf(fingerprint: Fingerprint): Chunking {
  const { headLength, chain } = fingerprint;
  const head = spans(fingerprint, 'h', 0, headLength, SEGMENTS_A_HEAD_CHUNK);
  const messages = spans(fingerprint, 'm', headLength, chain.length, SEGMENTS_A_MESSAGE_CHUNK);
  return {
    chunks: [...head, ...messages],
    headChunks: head.length,
    headTail: head.at(-1)?.end ?? 0,
    messageTail: messages.at(-1)?.end ?? headLength,
  };
}

/** Named by the running hash at its end, which no other content has. */
function spans(fingerprint: Fingerprint, part: string, from: number, to: number, size: number): ChunkSpan[] {
  const found: ChunkSpan[] = [];
  for (let start = from; start + size <= to; start += size) {
    const end = start + size;
    found.push({ name: `${part}${(fingerprint.chain[end - 1] as bigint).toString(36)}`, start, end });
  }
  return found;
}

/** The message that a conversation opens with. */
export function openingOf({ chain, headLength }: Fingerprint): string {
  return chain[headLength]?.toString(36) ?? '';
}
