import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runDiagnose } from '../../cli/commands/diagnose.ts';
import { runImport } from '../../cli/commands/import.ts';
import { runReport } from '../../cli/commands/report.ts';
import { bytesOf, temporaryDirectory } from '../store/store-fixture.ts';
import { capturedContext } from './captured-context.ts';

const FIXTURES = join(import.meta.dirname, '../logs/fixtures');
const call = (time: string, at: string) =>
  JSON.stringify({
    ...{ api: 'anthropic.messages', at, scope: { thread: 'wedding-42', phase: 'planner' } },
    body: {
      ...{ model: 'claude-opus-5', max_tokens: 8, cache_control: { type: 'ephemeral' } },
      system: `It is ${time}. SECRET-IN-PROMPT ${'Be brief. '.repeat(2000)}`,
      messages: [{ role: 'user', content: 'hi' }],
    },
    usage: {
      input_tokens: 10,
      cache_creation_input_tokens: 8000,
      cache_read_input_tokens: 0,
      output_tokens: 5,
    },
  });
const LOG = `${call('10:00', '2026-11-30T10:00:00Z')}\n${call('10:01', '2026-11-30T10:00:30Z')}\n`;

function contextIn(workingDirectory: string) {
  const env = { NO_COLOR: '1', PREFIXTRACE_DIR: join(workingDirectory, '.prefixtrace') };
  return capturedContext({ workingDirectory, env });
}

async function reportOf(workingDirectory: string) {
  const context = contextIn(workingDirectory);
  expect(await runReport(undefined, 'json', context)).toBe(0);
  return JSON.parse(context.out());
}

describe('prefixtrace import', () => {
  it('puts a log into the local store: the same facts as diagnose has, and no prompt', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'calls.jsonl'), LOG);
    const context = contextIn(directory);
    expect(await runImport(['calls.jsonl'], context)).toBe(0);
    expect(context.out()).toBe(
      '2 calls imported into .prefixtrace\nLook at them: prefixtrace view .prefixtrace\n',
    );
    expect(context.err()).toBe('');

    const report = await reportOf(directory);
    expect(report.totals.calls).toBe(2);
    expect(report.findings).toMatchObject([{ cause: 'system.timestamp', phase: 'planner' }]);
    const diagnosed = contextIn(directory);
    await runDiagnose(['calls.jsonl'], { json: true }, diagnosed);
    const [, second] = JSON.parse(diagnosed.out()).calls;
    expect(report.findings[0].calls[0].at).toBe(second.at);

    expect(bytesOf(join(directory, '.prefixtrace'))).toContain('system.timestamp');
    expect(bytesOf(join(directory, '.prefixtrace'))).not.toContain('SECRET-IN-PROMPT');
  });

  it('adds to what is there', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'calls.jsonl'), LOG);
    await runImport(['calls.jsonl'], contextIn(directory));
    await runImport(['calls.jsonl', 'calls.jsonl'], contextIn(directory));
    expect((await reportOf(directory)).totals.calls).toBe(6);
  });

  it.each(['otlp.jsonl', 'recording.har', 'litellm.jsonl', 'langfuse.json', 'claude-trace.jsonl'])(
    'reads %s as diagnose does',
    async (name) => {
      const directory = temporaryDirectory();
      const context = contextIn(directory);
      expect(await runImport([join(FIXTURES, name)], context)).toBe(0);
      const diagnosed = contextIn(directory);
      await runDiagnose([join(FIXTURES, name)], { json: true }, diagnosed);
      expect((await reportOf(directory)).totals.calls).toBe(JSON.parse(diagnosed.out()).calls.length);
      expect(context.err()).toBe(diagnosed.err());
    },
  );

  it('imports what it can and names the file that it cannot read', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'calls.jsonl'), LOG);
    const context = contextIn(directory);
    expect(await runImport(['gone.jsonl', 'calls.jsonl'], context)).toBe(0);
    expect(context.err()).toBe('prefixtrace: not read: gone.jsonl: no such file\n');
    expect((await reportOf(directory)).totals.calls).toBe(2);
  });

  it('stores nothing where nothing can be read', async () => {
    const directory = temporaryDirectory();
    await expect(runImport(['gone.jsonl'], contextIn(directory))).rejects.toThrow(
      'cannot read gone.jsonl: no such file',
    );
    expect(readdirSync(directory)).toEqual([]);
  });

  it('takes no store for a log', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'calls.jsonl'), LOG);
    await runImport(['calls.jsonl'], contextIn(directory));
    await expect(runImport(['.prefixtrace'], contextIn(directory))).rejects.toThrow(/is a local store/);
    expect((await reportOf(directory)).totals.calls).toBe(2);
  });

  describe('a session transcript without bodies', () => {
    const turn = (id: number, minute: number, model: string, read: number, write: number) =>
      JSON.stringify({
        ...{ type: 'assistant', sessionId: 's-1', uuid: `u${id}`, parentUuid: `u${id - 1}` },
        timestamp: `2026-11-30T10:${String(minute).padStart(2, '0')}:00.000Z`,
        message: {
          ...{ id: `msg_${id}`, role: 'assistant', model, content: [] },
          usage: { input_tokens: 10, cache_read_input_tokens: read, cache_creation_input_tokens: write },
        },
      });
    const TRANSCRIPT = [
      turn(1, 0, 'claude-opus-5', 0, 30_000),
      turn(2, 1, 'claude-opus-5', 30_000, 2_000),
      turn(3, 20, 'claude-opus-5', 0, 33_000),
      turn(4, 21, 'claude-haiku-5', 0, 34_000),
      turn(5, 22, 'claude-haiku-5', 9_000, 26_000),
    ].join('\n');
    let directory: string;
    beforeEach(() => {
      directory = temporaryDirectory();
      writeFileSync(join(directory, 'session.jsonl'), TRANSCRIPT);
    });

    it('is stored with the facts that usage alone tells', async () => {
      const context = contextIn(directory);
      expect(await runImport(['session.jsonl'], context)).toBe(0);
      expect(context.err()).toBe('');
      const fromStore = contextIn(directory);
      await runDiagnose([join(directory, '.prefixtrace')], { json: true }, fromStore);
      const fromLog = contextIn(directory);
      await runDiagnose(['session.jsonl'], { json: true }, fromLog);
      const comparable = (text: string): Record<string, unknown>[] =>
        JSON.parse(text).calls.map(
          // A store knows neither the file nor the API, names lineages by process, and links only losses to a call before.
          ({
            source: _source,
            api: _api,
            lineage: _lineage,
            baseline: _baseline,
            ...facts
          }: Record<string, unknown>) => facts,
        );
      expect(comparable(fromLog.out()).map(({ miss }) => miss)).toEqual([
        null,
        null,
        'ttl_expired',
        null,
        null,
      ]);
      expect(comparable(fromStore.out())).toEqual(comparable(fromLog.out()));
    });

    it('has no attribute for what nobody saw', async () => {
      await runImport(['session.jsonl'], contextIn(directory));
      const stored = bytesOf(join(directory, '.prefixtrace'));
      expect(stored).toContain('"prompt_cache.tokens.input"');
      for (const name of ['shared', 'behind', 'expected_read', 'tools', 'system', 'messages'])
        expect(stored).not.toContain(`"prompt_cache.tokens.${name}"`);
      expect(stored).not.toMatch(/"prompt_cache\.(?:prefix\.id|layout|floor)"/);
    });
  });

  it('refuses what is no log in one line', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'other.json'), '{"some":"thing"}');
    await expect(runImport(['other.json'], contextIn(directory))).rejects.toThrow(/is of no format/);
  });
});
