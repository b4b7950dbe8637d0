import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LineSplitter } from '../../src/store/line-splitter.ts';
import { ReadReport } from '../../src/store/read-report.ts';
import { lineOf, readAll, temporaryDirectory } from './store-fixture.ts';

const namesOf = async (path: string, report?: ReadReport) =>
  (await readAll(path, report)).map((span) => span.name);

it('reads the files of a directory in the order of their names, and no others', async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, '2-b.jsonl'), `${lineOf('second')}\n`);
  writeFileSync(join(directory, '1-a.jsonl'), `${lineOf('first')}\n`);
  writeFileSync(join(directory, 'notes.txt'), 'not ours');
  expect(await namesOf(directory)).toEqual(['first', 'second']);
  expect(await namesOf(join(directory, '2-b.jsonl'))).toEqual(['second']);
});

it('takes a torn last line for what it is: a writer in the middle of it', async () => {
  const file = join(temporaryDirectory(), 'a.jsonl');
  const torn = lineOf('torn');
  writeFileSync(file, `${lineOf('whole')}\n${torn.slice(0, 40)}`);
  const report = new ReadReport();
  expect(await namesOf(file, report)).toEqual(['whole']);
  expect(report).toMatchObject({ badLines: 0, tornFiles: [file], lines: 1 });
  appendFileSync(file, torn.slice(40));
  expect(await namesOf(file)).toEqual(['whole', 'torn']);
});

it('counts bad lines in the middle, names file and line, quotes nothing, and reads on', async () => {
  const file = join(temporaryDirectory(), 'a.jsonl');
  writeFileSync(file, `${lineOf('one')}\n{"resourceSpans": my secret\n\n[1]\n${lineOf('two')}\r\n`);
  const report = new ReadReport();
  expect(await namesOf(file, report)).toEqual(['one', 'two']);
  expect(report.badLines).toBe(2);
  expect(report.named).toEqual([
    { file, line: 2, reason: 'not JSON' },
    { file, line: 4, reason: 'not a JSON object' },
  ]);
});

it('names twenty bad lines and counts the rest', async () => {
  const file = join(temporaryDirectory(), 'a.jsonl');
  writeFileSync(file, 'x\n'.repeat(1000));
  const report = new ReadReport();
  await namesOf(file, report);
  expect(report.badLines).toBe(1000);
  expect(report.named).toHaveLength(20);
});

it('passes over lines of metrics and logs', async () => {
  const file = join(temporaryDirectory(), 'a.jsonl');
  writeFileSync(file, `{"resourceMetrics":[]}\n${lineOf('span')}\n`);
  const report = new ReadReport();
  expect(await namesOf(file, report)).toEqual(['span']);
  expect(report.badLines).toBe(0);
});

it('rejects where nothing is', async () => {
  await expect(readAll(join(temporaryDirectory(), 'missing'))).rejects.toThrow('ENOENT');
});

it('puts characters together that a piece of input cut in two, and does not hold a line without end', () => {
  const splitter = new LineSplitter(16);
  const bytes = Buffer.from(`über\n${'x'.repeat(50)}\nend`);
  const lines = [...bytes].flatMap((byte) => [...splitter.push(Buffer.from([byte]))]);
  expect(lines).toEqual(['über', undefined]);
  expect(splitter.rest()).toBe('end');
});
