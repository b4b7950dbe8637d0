import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { follow } from '../../src/store/follow.ts';
import { ReadReport } from '../../src/store/read-report.ts';
import { lineOf, temporaryDirectory } from './store-fixture.ts';

let directory: string;
let names: string[];
let stop: AbortController;
let report: ReadReport;

beforeEach(() => {
  directory = join(temporaryDirectory(), '.prefixtrace');
  names = [];
  stop = new AbortController();
  report = new ReadReport();
});
afterEach(() => stop.abort());

const start = (pollIntervalMs = 20): Promise<void> =>
  follow(directory, (spans) => names.push(...spans.map((span) => span.name)), stop.signal, {
    pollIntervalMs,
    report,
  });

it('waits for a directory that is not there yet, then gives what is there and what comes, once', async () => {
  const following = start();
  mkdirSync(directory);
  writeFileSync(join(directory, 'a.jsonl'), `${lineOf('one')}\n`);
  await expect.poll(() => names).toEqual(['one']);
  appendFileSync(join(directory, 'a.jsonl'), `${lineOf('two')}\n`);
  await expect.poll(() => names).toEqual(['one', 'two']);
  writeFileSync(join(directory, 'b.jsonl'), `${lineOf('three')}\n`);
  await expect.poll(() => names).toEqual(['one', 'two', 'three']);
  stop.abort();
  await following;
});

it('is woken by the file system and need not wait for its poll', async () => {
  mkdirSync(directory);
  const following = start(60_000);
  await expect
    .poll(() => {
      appendFileSync(join(directory, 'a.jsonl'), `${lineOf('early')}\n`);
      return names.length;
    })
    .toBeGreaterThan(0);
  stop.abort();
  await following;
});

it('holds half a line until the rest has come', async () => {
  mkdirSync(directory);
  const file = join(directory, 'a.jsonl');
  const line = `${lineOf('gemächlich')}\n`;
  writeFileSync(file, `${lineOf('whole')}\n${line.slice(0, 60)}`);
  void start();
  await expect.poll(() => names).toEqual(['whole']);
  appendFileSync(file, line.slice(60));
  await expect.poll(() => names).toEqual(['whole', 'gemächlich']);
  expect(report.badLines).toBe(0);
});

it('counts a bad line and goes on', async () => {
  mkdirSync(directory);
  const file = join(directory, 'a.jsonl');
  writeFileSync(file, `not JSON\n${lineOf('good')}\n`);
  void start();
  await expect.poll(() => names).toEqual(['good']);
  expect(report.named).toEqual([{ file, line: 1, reason: 'not JSON' }]);
});

it('survives that files and the whole directory go away and come again', async () => {
  mkdirSync(directory);
  writeFileSync(join(directory, 'a.jsonl'), `${lineOf('one')}\n`);
  void start();
  await expect.poll(() => names).toEqual(['one']);
  rmSync(directory, { recursive: true });
  mkdirSync(directory);
  writeFileSync(join(directory, 'b.jsonl'), `${lineOf('two')}\n`);
  await expect.poll(() => names).toEqual(['one', 'two']);
});

it('ends at once when it is told to stop', async () => {
  const following = start(60_000);
  stop.abort();
  await following;
});
