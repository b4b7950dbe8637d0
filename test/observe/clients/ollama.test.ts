import { Ollama } from 'ollama';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { createEngine } from '../../../src/diagnose.ts';
import type { Diagnosis } from '../../../src/diagnosis.ts';
import { type ModelServer, startModelServer } from '../../../src/model-server/index.ts';
import { observeClient } from '../../../src/observe/observe-client.ts';
import { readUsage } from '../../../src/prompt/usage.ts';
import { recordCalls } from '../../support/recorded-calls.ts';

const SYSTEM = { role: 'system', content: 'You look after a house plant. '.repeat(200) };
const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'water',
      description: 'Waters the plant.',
      parameters: { type: 'object', required: ['litres'], properties: { litres: { type: 'number' } } },
    },
  },
];

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({
    reply: ({ index }) =>
      index % 2 === 0 ? { toolCalls: [{ name: 'water', input: { litres: 1 } }] } : { text: 'Done.' },
  });
});
afterAll(() => server.close());

/** Runs an agent of two turns with one tool call and diagnoses what was recorded. */
async function diagnosed(settings: readonly object[]): Promise<Diagnosis[]> {
  const recorded = recordCalls({ engine: createEngine() });
  const client = observeClient(new Ollama({ host: server.url }), {}, () => recorded.recorder);
  const messages: object[] = [SYSTEM, { role: 'user', content: 'How is it?', images: ['aGVsbG8='] }];
  for (const setting of settings) {
    const request = { model: 'llama3.2', tools: TOOLS, messages, stream: true, ...setting };
    const message = { role: 'assistant', content: '', tool_calls: [] as object[] };
    for await (const part of await client.chat(request as Parameters<Ollama['chat']>[0] & { stream: true })) {
      message.content += part.message.content;
      message.tool_calls.push(...(part.message.tool_calls ?? []));
    }
    messages.push(message, { role: 'tool', tool_name: 'water', content: 'watered' });
  }
  await recorded.ended(settings.length);
  return recorded.calls.map(({ result }) => {
    if ('unreadable' in result) throw new Error(result.unreadable);
    return result.diagnosis;
  });
}

describe('a conversation over the API of Ollama', () => {
  it('that only grows is one lineage without a finding', async () => {
    const calls = await diagnosed([{}, {}, {}]);
    expect(new Set(calls.map(({ lineage }) => lineage)).size).toBe(1);
    expect(calls.map(({ turn, divergence, miss, finding }) => ({ turn, divergence, miss, finding }))).toEqual(
      [1, 2, 3].map((turn) => ({ turn, divergence: null, miss: null, finding: false })),
    );
  });

  it('has the tokens of the whole prompt, and says of reads that they are not known', async () => {
    const [, second] = await diagnosed([{}, {}]);
    expect(second?.tokens).toMatchObject({ cacheRead: null, cacheWrite: null, method: 'usage' });
    expect(second?.tokens.input).toBe(server.requests.at(-1)?.usage?.prompt_eval_count);
  });

  it('is not blamed for settings of the decoder and of the server', async () => {
    const settings = { options: { temperature: 0.2, num_predict: 9 }, keep_alive: '10m', format: 'json' };
    const [, second] = await diagnosed([{}, settings]);
    expect(second?.divergence).toBeNull();
    expect(second?.finding).toBe(false);
  });

  it('shows a switch of thinking, which templates render', async () => {
    const [, second] = await diagnosed([{ think: false }, { think: true }]);
    expect(second?.divergence).toMatchObject({ kind: 'parameters.reasoning', path: 'think' });
  });
});

describe('usage of Ollama', () => {
  it('knows reads where a newer server states them', () => {
    const usage = { prompt_eval_count: 100, prompt_eval_cached_count: 80, eval_count: 5 };
    expect(readUsage('openai.chat', usage)).toMatchObject({
      input: 100,
      cacheRead: 80,
      uncached: 20,
      output: 5,
    });
  });

  it('does not print more reads than there was input', () => {
    const usage = { prompt_eval_count: 100, prompt_eval_cached_count: 180 };
    expect(readUsage('openai.chat', usage)).toMatchObject({ input: 100, cacheRead: null, uncached: null });
  });
});

describe('observe(ollama)', () => {
  const observe = <Client extends object>(client: Client): Client =>
    observeClient(client, {}, () => recordCalls().recorder);

  it('keeps the type', () => {
    expectTypeOf(observe(new Ollama())).toEqualTypeOf<Ollama>();
  });

  it('leaves a client with private fields as it is, as they would not move to a copy', async () => {
    class PrivateOllama extends Ollama {
      #calls = 0;
      override async encodeImage(image: Uint8Array | string): Promise<string> {
        this.#calls += 1;
        return `${String(image)}${this.#calls}`;
      }
    }
    const client = new PrivateOllama({ host: server.url });
    expect(observe(client)).toBe(client);
  });

  it('records nothing but chat', async () => {
    const recorded = recordCalls();
    const client = observeClient(new Ollama({ host: server.url }), {}, () => recorded.recorder);
    await client.list().catch(() => {});
    await client.embed({ model: 'm', input: 'x' }).catch(() => {});
    expect(recorded.opened).toEqual([]);
  });
});
