/**
 * The text of a request body, put together from the pieces that pass. It is never waited for: the pieces have gone on.
 */
import { Buffer } from 'node:buffer';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { guardAsync } from '../guard.ts';

export interface BodyCopy {
  push(chunk: Uint8Array): void;
  /** `isWhole`: the body ended by itself, else it was cut off. */
  end(isWhole: boolean): void;
  /** `undefined` where the body was cut off, is too large to hold, or is packed in a way that cannot be undone here. */
  readonly text: Promise<string | undefined>;
}

/** Larger bodies go on as well; they are not read. */
export const MAX_HELD_BYTES = 64 * 1024 * 1024;

type Unpack = (packed: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

const UNPACKERS: Readonly<Record<string, Unpack>> = {
  gzip: promisify(gunzip) as Unpack, // overloads hide the form with options
  'x-gzip': promisify(gunzip) as Unpack,
  deflate: promisify(inflate) as Unpack,
  br: promisify(brotliDecompress) as Unpack,
};

export function bodyCopy(encoding: string | undefined): BodyCopy {
  let chunks: Uint8Array[] | undefined = [];
  let heldBytes = 0;
  let fulfil: (text: Promise<string | undefined> | undefined) => void;
  const text = new Promise<string | undefined>((resolve) => {
    fulfil = resolve;
  });
  return {
    text,
    push(chunk) {
      heldBytes += chunk.length;
      if (heldBytes > MAX_HELD_BYTES) chunks = undefined;
      chunks?.push(chunk);
    },
    end(isWhole) {
      const whole = isWhole ? chunks : undefined;
      chunks = undefined;
      fulfil(whole && guardAsync('the body of a request could not be read', () => textOf(whole, encoding)));
    },
  };
}

async function textOf(chunks: readonly Uint8Array[], encoding = 'identity'): Promise<string | undefined> {
  const body = Buffer.concat(chunks);
  const name = encoding.trim().toLowerCase();
  if (name === 'identity' || name === '') return body.toString('utf8');
  const packed = UNPACKERS[name];
  return packed && (await packed(body, { maxOutputLength: MAX_HELD_BYTES })).toString('utf8');
}
