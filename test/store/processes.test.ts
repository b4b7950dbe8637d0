import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { follow } from '../../src/store/follow.ts';
import type { StoredSpan } from '../../src/store/otlp-json.ts';
import { ReadReport } from '../../src/store/read-report.ts';
import { buildProgram, ended, type Program, printed } from './child-process.ts';
import { bytesOf, filesOf, readAll, temporaryDirectory } from './store-fixture.ts';

let program: Program;
beforeAll(async () => {
  program = await buildProgram(new URL('./programs/record-calls.ts', import.meta.url));
});
afterAll(() => program.remove());

const threadsOf = (spans: StoredSpan[]) => spans.map((span) => span.attributes['prompt_cache.thread']);
const threads = (label: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${label}-${index}`);

it('two processes write at once and a reader that follows sees each span of both once', async () => {
  const workingDirectory = temporaryDirectory();
  const directory = join(workingDirectory, '.prefixtrace');
  const seen: StoredSpan[] = [];
  const stop = new AbortController();
  const report = new ReadReport();
  const following = follow(directory, (spans) => seen.push(...spans), stop.signal, { report });
  const writers = ['a', 'b'].map((label) => ended(program.start(workingDirectory, ['300', label, 'slow'])));
  expect(await Promise.all(writers)).toEqual([
    { code: 0, signal: null, errors: '' },
    { code: 0, signal: null, errors: '' },
  ]);
  await expect.poll(() => seen.length, { timeout: 10_000 }).toBe(600);
  stop.abort();
  await following;
  expect(threadsOf(seen).sort()).toEqual([...threads('a', 300), ...threads('b', 300)].sort());
  expect(report).toMatchObject({ badLines: 0, tornFiles: [] });
  expect(filesOf(directory)).toHaveLength(2);
  expect(new Set(seen.map((span) => span.resource['service.instance.id'])).size).toBe(2);
});

it.each([
  ['natural', 0],
  ['exit', 3],
])(
  'nothing that ended is lost when a process ends (%s), not even before the SDK was loaded',
  async (way, code) => {
    const workingDirectory = temporaryDirectory();
    const result = await ended(program.start(workingDirectory, ['50', 'x', way]));
    expect(result).toEqual({ code, signal: null, errors: '' });
    const spans = await readAll(join(workingDirectory, '.prefixtrace'));
    expect(threadsOf(spans)).toEqual(threads('x', 50));
  },
);

it('a crash loses nothing that was stored, and the line that it tore is no error', async () => {
  const workingDirectory = temporaryDirectory();
  const child = program.start(workingDirectory, ['500', 'x', 'flush']);
  await printed(child, 'flushed');
  child.kill('SIGKILL');
  expect(await ended(child)).toMatchObject({ signal: 'SIGKILL' });
  const directory = join(workingDirectory, '.prefixtrace');
  const [file = ''] = filesOf(directory);
  appendFileSync(file, '{"resourceSpans":[{"scope'); // as if killed within a write
  const report = new ReadReport();
  expect(threadsOf(await readAll(directory, report))).toEqual(threads('x', 500));
  expect(report).toMatchObject({ badLines: 0, tornFiles: [file] });
});

it('a process killed while it writes leaves whole lines up to the last one', async () => {
  const workingDirectory = temporaryDirectory();
  const directory = join(workingDirectory, '.prefixtrace');
  const child = program.start(workingDirectory, ['100000', 'x', 'slow']);
  await expect
    .poll(() => existsSync(directory) && bytesOf(directory).includes('\n'), { timeout: 10_000 })
    .toBe(true);
  child.kill('SIGKILL');
  await ended(child);
  const report = new ReadReport();
  const stored = threadsOf(await readAll(directory, report));
  expect(stored.length).toBeGreaterThan(0);
  expect(stored).toEqual(threads('x', stored.length));
  expect(report.badLines).toBe(0);
});

it('PREFIXTRACE_DISABLED=1 leaves no trace at all', async () => {
  const workingDirectory = temporaryDirectory();
  const result = await ended(
    program.start(workingDirectory, ['5', 'x', 'natural'], { PREFIXTRACE_DISABLED: '1' }),
  );
  expect(result).toMatchObject({ code: 0, errors: '' });
  expect(existsSync(join(workingDirectory, '.prefixtrace'))).toBe(false);
});

it('an application without a directory to write to ends as it would have ended', async () => {
  const result = await ended(
    program.start(temporaryDirectory(), ['5', 'x', 'exit'], { PREFIXTRACE_DIR: '/dev/null/store' }),
  );
  expect(result).toEqual({ code: 3, signal: null, errors: '' });
});
