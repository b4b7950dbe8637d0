/** Clients of the real SDKs, pointed at a model server that lives as long as the test. */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { onTestFinished } from 'vitest';
import { type ModelServer, type ModelServerOptions, startModelServer } from '../../src/model-server/index.ts';

export async function testServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const server = await startModelServer(options);
  onTestFinished(() => server.close());
  return server;
}

export function anthropicClient(server: ModelServer, apiKey = 'key-1'): Anthropic {
  return new Anthropic({ baseURL: server.url, apiKey, maxRetries: 0 });
}

export function openAiClient(server: ModelServer, apiKey = 'key-1'): OpenAI {
  return new OpenAI({ baseURL: `${server.url}/v1`, apiKey, maxRetries: 0 });
}

/** A text of exactly so many tokens by the server's rule of four bytes a token. */
export function textOfTokens(tokens: number, word = 'word'): string {
  return word.repeat(Math.ceil((tokens * 4) / word.length)).slice(0, tokens * 4);
}

/** A promise to be settled from outside, to hold requests without sleeping. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** Waits for a condition, not for a time. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
