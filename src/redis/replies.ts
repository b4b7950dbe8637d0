/** Replies of the scripts in our own shape. Anything else throws: the server is not what we take it for. */

export interface AskReply {
  readonly named: string;
  readonly heads: readonly (readonly [id: Buffer, value: Buffer])[];
  readonly chunks: readonly (readonly [name: Buffer, bytes: Buffer])[];
}

export function readReply(reply: unknown): AskReply {
  const [named, heads, chunks] = listOf(reply);
  return { named: bytesOf(named).toString(), heads: pairsOf(heads), chunks: pairsOf(chunks) };
}

/** In hexadecimal digits. */
export function readNames(reply: unknown): ReadonlySet<string> {
  return new Set(listOf(reply).map((name) => bytesOf(name).toString('hex')));
}

function pairsOf(value: unknown): [Buffer, Buffer][] {
  const list = listOf(value);
  return Array.from({ length: list.length / 2 }, (_, at) => [
    bytesOf(list[2 * at]),
    bytesOf(list[2 * at + 1]),
  ]);
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError('not a list');
  return value;
}

function bytesOf(value: unknown): Buffer {
  if (!Buffer.isBuffer(value)) throw new TypeError('not bytes');
  return value;
}
