/**
 * What a call costs, against one `JSON.stringify` of its body in the same process. The limits are wide enough for a busy
 * machine: they hold the order of growth, the figures themselves are in the README.
 */
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/diagnose.ts';
import type { ExchangeRequest, JsonObject } from '../../src/exchange.ts';

const MESSAGES = 300;
const words = (count: number, seed: number): string =>
  Array.from({ length: count }, (_, at) => `word${(at * 7919 + seed * 104729) % 9973}`).join(' ');

function conversation(length: number): JsonObject {
  return {
    model: 'claude-opus-5',
    max_tokens: 1024,
    system: [{ type: 'text', text: words(2_000, 1), cache_control: { type: 'ephemeral' } }],
    tools: Array.from({ length: 40 }, (_, at) => ({
      name: `tool_${at}`,
      description: words(60, at),
      input_schema: { type: 'object', properties: { path: { type: 'string', description: words(10, at) } } },
    })),
    messages: Array.from({ length }, (_, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content: [{ type: 'text', text: words(360, at) }],
    })),
  };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

/** A long string is a rope until somebody reads it through: the transport does, before the engine gets to see it. */
function requestOf(value: JsonObject): ExchangeRequest {
  const body = JSON.stringify(value);
  new TextEncoder().encode(body);
  return { api: 'anthropic.messages', scope: {}, body };
}

function timeOf(step: () => unknown): number {
  const startMs = performance.now();
  step();
  return performance.now() - startMs;
}

describe('the cost of a call follows what is new', () => {
  it('a body of 0.9 MB that grew by one message costs less than one JSON.stringify of it', async () => {
    const engine = await createEngine();
    const [stringify, diagnosis]: [number[], number[]] = [[], []];
    for (let grown = 0; grown < 60; grown += 1) {
      const value = conversation(MESSAGES + grown);
      stringify.push(timeOf(() => JSON.stringify(value)));
      const request = requestOf(value);
      diagnosis.push(timeOf(() => engine.start(request).finish({ ending: 'completed', status: 200 })));
    }
    expect(JSON.stringify(conversation(MESSAGES)).length).toBeGreaterThan(850_000);
    expect(median(diagnosis.slice(10)) / median(stringify.slice(10))).toBeLessThan(1);
  });

  it('a first sight of it costs less than four of them', async () => {
    const [stringify, diagnosis]: [number[], number[]] = [[], []];
    for (let round = 0; round < 30; round += 1) {
      const engine = await createEngine();
      const value = conversation(MESSAGES + round);
      stringify.push(timeOf(() => JSON.stringify(value)));
      const request = requestOf(value);
      diagnosis.push(timeOf(() => engine.start(request).finish({ ending: 'completed', status: 200 })));
    }
    expect(median(diagnosis.slice(5)) / median(stringify.slice(5))).toBeLessThan(4);
  });
});
