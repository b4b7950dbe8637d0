import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readAll } from '../../cli/sources/call-source.ts';
import { localStoreSource } from '../../cli/sources/local-store.ts';
import { createSourceNotes } from '../../cli/sources/notes.ts';
import { openSource } from '../../cli/sources/open-source.ts';
import { SpanJoiner } from '../../cli/sources/span-joiner.ts';
import type { ReportedCall } from '../../cli/summary/reported-call.ts';
import type { StoredSpan } from '../../src/store/otlp-json.ts';
import { readSpans } from '../../src/store/reader.ts';
import { createTelemetrySink } from '../../src/telemetry/sink.ts';
import { recordStore } from '../support/recorded-store.ts';
import { reportedCall, weddingCalls } from '../support/reported-calls.ts';
import { capturedContext } from './captured-context.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'prefixtrace-test-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const record = (calls: readonly ReportedCall[], captureContent = false) =>
  recordStore(directory, calls, captureContent);

async function spansOf(path: string): Promise<StoredSpan[]> {
  const spans: StoredSpan[] = [];
  for await (const span of readSpans(path)) spans.push(span);
  return spans;
}

describe('the local store as a source', () => {
  it('gives back what was recorded, but for what a store does not hold', async () => {
    await record(weddingCalls());
    const calls = await readAll(localStoreSource(directory, '.prefixtrace'));
    const expected = weddingCalls().map((call) => ({
      ...call,
      id: expect.any(String),
      api: null,
      timeToFirstByteMs: null,
      // Only a divergence or a miss links to its baseline.
      baseline: call.divergence === null && call.miss === null ? null : call.baseline,
    }));
    expect(calls).toEqual(expected);
  });

  it('has excerpts only where content was captured', async () => {
    const [call] = weddingCalls().slice(3);
    const excerpt = { before: '10:00:30', after: '10:00:40' };
    await record(call ? [{ ...call, excerpt }] : []);
    expect((await readAll(localStoreSource(directory, 'x')))[0]?.excerpt).toBeNull();
    await record(call ? [{ ...call, excerpt }] : [], true);
    expect((await readAll(localStoreSource(directory, 'x')))[1]?.excerpt).toEqual(excerpt);
  });

  it('joins spans in whatever order they arrive', async () => {
    await record(weddingCalls());
    const spans = await spansOf(directory);
    const joiner = new SpanJoiner(createSourceNotes().unreadable);
    const byId = new Map<string, ReportedCall>();
    for (const span of spans.reverse()) for (const call of joiner.add([span])) byId.set(call.id, call);
    const kinds = [...byId.values()].map((call) => call.divergence?.kind ?? call.miss);
    expect(kinds.filter((kind) => kind !== null).sort()).toEqual([
      'messages.compacted',
      'system.timestamp',
      'system.timestamp',
      'tools.reordered',
      'ttl_expired',
    ]);
  });

  it('keeps the lineages of two processes apart', async () => {
    await record([reportedCall({ index: 0 })]);
    const [span] = await spansOf(directory);
    const joiner = new SpanJoiner(createSourceNotes().unreadable);
    const other = (instance: string, spanId: string): StoredSpan[] =>
      span ? [{ ...span, spanId, resource: { 'service.instance.id': instance } }] : [];
    const calls = joiner.add([...other('a', '01'), ...other('b', '02'), ...other('a', '03')]);
    expect(calls.map(({ lineage }) => lineage)).toEqual(['l1', '2·l1', 'l1']);
  });

  it('shows new calls while it is followed, and stops when told', async () => {
    const controller = new AbortController();
    const seen: ReportedCall[] = [];
    const reading = (async () => {
      const source = localStoreSource(directory, 'x');
      for await (const batch of source.read({ follow: true, signal: controller.signal })) seen.push(...batch);
    })();
    await record([reportedCall({ index: 0 })]);
    await vi.waitFor(() => expect(seen).toHaveLength(1), 5_000);
    await record([reportedCall({ index: 1 })]);
    await vi.waitFor(() => expect(seen).toHaveLength(2), 5_000);
    controller.abort();
    await reading;
  });

  it('counts calls that could not be diagnosed', async () => {
    const sink = createTelemetrySink({ store: { directory } });
    sink
      .open({ api: 'openai.chat', body: '[]', scope: {} })
      .end({ unreadable: 'not_a_prompt' }, { ending: 'completed' });
    await sink.shutdown();
    const source = localStoreSource(directory, 'x');
    expect(await readAll(source)).toEqual([]);
    expect(source.notes.unreadable.count).toBe(1);
  });
});

describe('opening a source', () => {
  it('tells a file of OTLP JSON Lines by its content', async () => {
    await record(weddingCalls());
    const [file = ''] = await import('node:fs/promises').then(({ readdir }) =>
      readdir(directory).then((names) => names.filter((name) => name.endsWith('.jsonl'))),
    );
    const source = await openSource(join(directory, file), capturedContext());
    expect(await readAll(source)).toHaveLength(8);
  });

  it('takes the default store from the environment and says what to do where there is none', async () => {
    const env = { PREFIXTRACE_DIR: join(directory, 'none') };
    await expect(openSource(undefined, capturedContext({ env }))).rejects.toThrow(
      /no store at .*none; record calls/,
    );
    await record([reportedCall({ index: 0 })]);
    expect(
      await readAll(await openSource(undefined, capturedContext({ env: { PREFIXTRACE_DIR: directory } }))),
    ).toHaveLength(1);
  });

  it('reads an exchange log from standard input', async () => {
    const input =
      '{"body":{"model":"claude-sonnet-5","system":"You are","messages":[{"role":"user","content":"hi"}]}}\n';
    const source = await openSource('-', capturedContext({ input }));
    expect(source.name).toBe('<stdin>');
    expect(await readAll(source)).toHaveLength(1);
  });
});
