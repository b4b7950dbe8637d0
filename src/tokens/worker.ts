/**
 * The worker thread that counts. Vocabularies are loaded here and nowhere else, each when it is first asked for: 0.3 s and
 * tens of megabytes that the host's thread never sees.
 */
import { parentPort } from 'node:worker_threads';
import { countText } from './count-text.ts';
import { createEncoder, type Encoder } from './encoder.ts';
import type { EncodingName } from './encoding.ts';

export interface CountRequest {
  readonly encoding: EncodingName;
  readonly texts: readonly string[];
}

const encoders = new Map<EncodingName, Promise<Encoder>>();

async function loadEncoder(name: EncodingName): Promise<Encoder> {
  const { default: vocabulary } =
    name === 'cl100k_base'
      ? await import('js-tiktoken/ranks/cl100k_base')
      : await import('js-tiktoken/ranks/o200k_base');
  return createEncoder(vocabulary);
}

/** An error ends the thread; its owner sees that and decides. */
parentPort?.on('message', async ({ encoding, texts }: CountRequest) => {
  let encoder = encoders.get(encoding);
  if (!encoder) {
    encoder = loadEncoder(encoding);
    encoders.set(encoding, encoder);
  }
  const loaded = await encoder;
  parentPort?.postMessage(texts.map((text) => countText(text, loaded)));
});
