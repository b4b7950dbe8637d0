/**
 * A head as a value in the server: what the scripts have to see (`scripts.ts` has the layout), then what is sealed. A value
 * that is not laid out so, or does not open, is not ours.
 */
import type { StoredHead } from '../lineage/shared/head-store.ts';
import { NAME_BYTES } from './scripts.ts';
import type { Seal } from './seal.ts';

const FORMAT_VERSION = 1;
const START_BYTES = 24;

/** Its order is left open: the server fills it in. */
export function packValue(head: StoredHead, { name, seal }: Pick<Seal, 'name' | 'seal'>): Buffer {
  const start = Buffer.alloc(START_BYTES);
  start[0] = FORMAT_VERSION;
  start[1] = Number(head.wasSummarised);
  name(head.opening).copy(start, 2);
  start.writeUInt16BE(head.chunks.length, 22);
  return Buffer.concat([start, ...head.chunks.map(name), seal(head.record)]);
}

/** `nameOf`: what a chunk is called here, by its name there. */
export function unpackValue(
  id: string,
  value: Buffer,
  nameOf: (name: Buffer) => string,
  open: Seal['open'],
): StoredHead | undefined {
  if (value.length < START_BYTES || value[0] !== FORMAT_VERSION) return undefined;
  const end = START_BYTES + value.readUInt16BE(22) * NAME_BYTES;
  if (value.length < end) return undefined;
  const record = open(value.subarray(end));
  if (!record) return undefined;
  const chunks: string[] = [];
  for (let at = START_BYTES; at < end; at += NAME_BYTES)
    chunks.push(nameOf(value.subarray(at, at + NAME_BYTES)));
  return { id, opening: '', chunks, record, wasSummarised: value[1] === 1 };
}
