/** Session transcripts: usage alone speaks. The recordings lie beside the repository; without them those tests are skipped. */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadPrices } from '../../src/cost/prices.ts';
import type { Diagnosis } from '../../src/diagnosis.ts';
import type { JsonObject } from '../../src/exchange.ts';
import { readLines } from '../../src/logs/lines.ts';
import {
  readClaudeCode,
  readCodex,
  readGeminiCli,
  readPi,
  type TranscriptReader,
} from '../../src/logs/transcripts/read-transcript.ts';
import { createUsageDiagnoser } from '../../src/usage-only/diagnose-usage.ts';
import { hasTraffic, lineOf, trafficFolder } from './traffic-folder.ts';

async function diagnosed(read: TranscriptReader, lines: AsyncIterable<JsonObject> | Iterable<JsonObject>) {
  const diagnose = createUsageDiagnoser(await loadPrices());
  const calls: Diagnosis[] = [];
  for await (const record of read(records(lines))) calls.push(diagnose(record));
  return calls;
}

async function* records(lines: AsyncIterable<JsonObject> | Iterable<JsonObject>) {
  let line = 0;
  for await (const value of lines) {
    line += 1;
    yield { value, source: `log:${line}`, sourcesAt: () => [] };
  }
}

async function* recording(path: string): AsyncGenerator<JsonObject> {
  for await (const { text } of readLines(createReadStream(join(trafficFolder, path)))) {
    if (text) yield JSON.parse(text) as JsonObject;
  }
}

function at(calls: readonly Diagnosis[], line: number) {
  const call = calls.find((one) => lineOf(one) === line);
  if (!call) return undefined;
  const { miss, expected, outcome, certainty, finding, divergence } = call;
  return { miss, expected, outcome, certainty, finding, divergence, rebilled: call.tokens.rebilled };
}

function claude(id: string, minute: number, read: number, write: number, more: JsonObject = {}): JsonObject {
  const usage = { input_tokens: 3, cache_read_input_tokens: read, cache_creation_input_tokens: write };
  const message = { id, model: 'claude-opus-4-5', usage };
  const timestamp = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
  return { type: 'assistant', sessionId: 's', timestamp, message, ...more };
}

const UNEXPLAINED = { miss: null, expected: null, certainty: 'unknown', finding: true, divergence: null };

describe('a transcript without bodies', () => {
  it('counts a response once that is written as several lines', async () => {
    const calls = await diagnosed(readClaudeCode, [
      claude('a', 0, 0, 20_000),
      claude('a', 0, 0, 20_000),
      claude('b', 1, 20_000, 500),
    ]);
    expect(calls.map(({ outcome, finding }) => [outcome, finding])).toEqual([
      ['miss', false],
      ['hit', false],
    ]);
  });

  it('blames nobody for a drop inside the lifetime', async () => {
    const calls = await diagnosed(readClaudeCode, [claude('a', 0, 0, 20_000), claude('b', 1, 8_000, 13_000)]);
    expect(at(calls, 2)).toEqual({ ...UNEXPLAINED, outcome: 'partial', rebilled: 12_000 });
  });

  it('names the lifetime where the pause was longer', async () => {
    const calls = await diagnosed(readClaudeCode, [claude('a', 0, 0, 20_000), claude('b', 9, 0, 21_000)]);
    expect(at(calls, 2)).toMatchObject({ miss: 'ttl_expired', outcome: 'miss', certainty: 'inferred' });
  });

  it('takes a compaction for meant', async () => {
    const boundary = { type: 'system', subtype: 'compact_boundary', sessionId: 's' };
    const calls = await diagnosed(readClaudeCode, [
      claude('a', 0, 0, 20_000),
      boundary,
      claude('b', 1, 8_000, 9_000),
    ]);
    expect(at(calls, 3)).toMatchObject({ expected: 'compaction', finding: false });
  });

  it('names another model, as the records themselves say so', async () => {
    const before = claude('b', 1, 0, 21_000);
    const other = {
      ...before,
      message: { ...(before.message as JsonObject), model: 'claude-sonnet-4-5' },
    };
    const calls = await diagnosed(readClaudeCode, [claude('a', 0, 0, 20_000), other]);
    expect(at(calls, 2)).toMatchObject({
      divergence: { kind: 'model.switched' },
      certainty: 'inferred',
      finding: true,
    });
  });

  it('does not compare a side chain with the session', async () => {
    const calls = await diagnosed(readClaudeCode, [
      claude('a', 0, 0, 20_000),
      claude('b', 1, 0, 9_000, { isSidechain: true }),
    ]);
    expect(calls.map(({ baseline }) => baseline)).toEqual([null, null]);
  });

  it('counts a Gemini CLI message without tokens as no request', async () => {
    const tokens = { input: 12_000, cached: 0, output: 5 };
    const messages = [
      { type: 'user' },
      { type: 'gemini', tokens, model: 'gemini-2.5-flash' },
      { type: 'gemini' },
    ];
    expect(await diagnosed(readGeminiCli, [{ sessionId: 's', messages }])).toHaveLength(1);
  });
});

const TITLE = hasTraffic ? 'recorded transcripts' : 'recorded transcripts (SKIPPED: no recordings here)';
describe.skipIf(!hasTraffic)(TITLE, () => {
  const folder = 'claude-code-transcripts';
  const codex = 'codex-rollouts/rollout-2026-02-23T12-40-23-019c8a4c-ed82-79a1-aa28-7738fc5ab61a.jsonl';

  it('does not explain a drop after a skill was called', async () => {
    const calls = await diagnosed(readClaudeCode, recording(`${folder}/71-69f9710768-0.jsonl`));
    expect(calls).toHaveLength(18);
    expect(at(calls, 128)).toMatchObject({ ...UNEXPLAINED, outcome: 'partial' });
  });

  it('tells an expired entry from a session that was resumed', async () => {
    const calls = await diagnosed(readClaudeCode, recording(`${folder}/33-210c2e180b-0.jsonl`));
    expect(calls).toHaveLength(21);
    expect(at(calls, 19)).toMatchObject({ miss: 'ttl_expired', outcome: 'miss' });
    expect(at(calls, 71)).toMatchObject({
      ...UNEXPLAINED,
      outcome: 'partial',
      rebilled: expect.closeTo(117_857, -3),
    });
  });

  it('finds three expired entries and a compaction', async () => {
    const calls = await diagnosed(readClaudeCode, recording(`${folder}/a6-e4c2a0fbd1-0.jsonl`));
    expect(calls).toHaveLength(12);
    expect(calls.filter(({ miss }) => miss === 'ttl_expired')).toHaveLength(3);
    expect(calls.filter(({ expected }) => expected === 'compaction')).toHaveLength(1);
  });

  it('finds 37 cold turns, four of them expired and the others unexplained', async () => {
    const calls = await diagnosed(readPi, recording('pi-sessions/large-session.jsonl'));
    const cold = calls.filter(({ outcome, finding }) => outcome === 'miss' && finding);
    expect(calls).toHaveLength(439);
    expect([cold.length, cold.filter(({ miss }) => miss === 'ttl_expired').length]).toEqual([37, 4]);
  });

  it('tells reasoning that was dropped from a miss without any change', async () => {
    const calls = await diagnosed(readCodex, recording(codex));
    expect(calls).toHaveLength(81);
    expect(at(calls, 92)).toMatchObject({ ...UNEXPLAINED, outcome: 'partial' });
    for (const line of [198, 300])
      expect(at(calls, line)).toMatchObject({ miss: 'server_strips_thinking', certainty: 'inferred' });
  });
});
