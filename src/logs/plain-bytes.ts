/** What a file's first bytes say it is: gzip is unpacked on the way, and what is no UTF-8 text is refused by its name. */
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { HeldChunks } from './formats/held-chunks.ts';
import { LogError } from './log-error.ts';

const GZIP = '\x1f\x8b';

/** Beginnings, in Latin-1, of what has to be converted first, and how. */
const OTHERS: readonly (readonly [string, string])[] = [
  [
    'PK\x03\x04',
    'is a zip archive; an inspect_ai .eval file becomes readable with `inspect log convert --to json`',
  ],
  ['\x28\xb5\x2f\xfd', 'is compressed with zstd: unpack it first, with `zstd -d`'],
  ['BZh', 'is compressed with bzip2: unpack it first, with `bunzip2`'],
  ['\xfd7zXZ', 'is compressed with xz: unpack it first, with `unxz`'],
  ['\xff\xfe', 'is UTF-16 text: convert it first, with `iconv -f UTF-16 -t UTF-8`'],
  ['\xfe\xff', 'is UTF-16 text: convert it first, with `iconv -f UTF-16 -t UTF-8`'],
  ['SQLite format', 'is an SQLite database: export its rows as JSON Lines first'],
];

const LONGEST_BEGINNING = 16;

/** Found by content, so that a wrong name and a pipe do no harm. Throws a `LogError`. */
export async function plainChunks(
  chunks: AsyncIterable<Uint8Array | string>,
  file: string,
): Promise<HeldChunks> {
  const held = new HeldChunks(chunks);
  const beginning = (await held.holdBytes(LONGEST_BEGINNING)).toString('latin1');
  if (beginning.startsWith(GZIP)) return new HeldChunks(unzipped(held.replay(), file));
  const other = OTHERS.find(([magic]) => beginning.startsWith(magic));
  if (other === undefined) return held;
  await held.close();
  throw new LogError(`${file} ${other[1]}`);
}

async function* unzipped(
  chunks: AsyncIterable<Uint8Array | string>,
  file: string,
): AsyncGenerator<Uint8Array> {
  const source = Readable.from(chunks);
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  // `pipe` passes no errors on, and a reader that fails must not leave its consumer waiting.
  source.on('error', (error) => gunzip.destroy(error));
  try {
    yield* source.pipe(gunzip);
  } catch (error) {
    const isDamage = String((error as { readonly code?: unknown }).code).startsWith('Z_');
    throw isDamage
      ? new LogError(`${file} is damaged: it is not a whole gzip file`, { cause: error })
      : error;
  } finally {
    source.destroy();
  }
}
