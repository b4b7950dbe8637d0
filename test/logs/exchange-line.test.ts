import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/exchange.ts';
import { exchangeLine } from '../../src/logs/exchange-line.ts';
import { readExchangeLog } from '../../src/logs/exchange-log.ts';

const exchange: Exchange = {
  api: 'google.generateContent',
  body: '{"contents": [{"parts": [{"text": "line\\nbreak ✓"}]}], "b": 1.0, "2": {}, "1": {}}',
  model: 'gemini-3-pro',
  atMs: 1_800_000_000_123,
  endpoint: 'generativelanguage.googleapis.com',
  headers: { 'x-session-id': 's' },
  scope: { thread: 't', phase: 'p', delegation: undefined },
  response: {
    ending: 'failed',
    status: 503,
    id: 'r',
    model: 'gemini-3-pro-002',
    provider: 'Google',
    serviceTier: 'flex',
    usage: { promptTokenCount: 7 },
    firstByteAtMs: 1_800_000_000_200,
    completedAtMs: 1_800_000_000_300,
    error: { type: 'overloaded', message: 'later' },
    diagnostics: { reason: 'tools_changed' },
  },
};

async function readBack(...exchanges: Exchange[]): Promise<Exchange[]> {
  const read: Exchange[] = [];
  for await (const logged of readExchangeLog(Readable.from(exchanges.map(exchangeLine)), 'log'))
    read.push(logged.exchange);
  return read;
}

describe('a line of the exchange log', () => {
  it('reads back as what was written', async () => {
    const [read] = await readBack(exchange);
    expect(read).toMatchObject(exchange);
  });

  it('holds the body as it was sent', () => {
    expect(exchangeLine(exchange)).toContain(`"body":${exchange.body}`);
  });

  it('is one line where the body has several, and where it is no JSON', async () => {
    const pretty = JSON.stringify({ contents: [{ parts: [{ text: 'a\nb' }] }] }, null, 2);
    expect(exchangeLine({ ...exchange, body: pretty }).match(/\n/g)?.length).toBe(1);
    const [read] = await readBack({ ...exchange, body: pretty });
    expect(JSON.parse(String(read?.body))).toEqual(JSON.parse(pretty));
    expect(JSON.parse(exchangeLine({ ...exchange, body: '{"contents":' })).body).toBe('{"contents":');
  });

  it('has no answer where there was none', async () => {
    const [read] = await readBack({ ...exchange, response: undefined });
    expect(read?.response).toBeUndefined();
  });
});
