/** What becomes of files that are full or old, and of files that are not ours. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newStoreFileName } from '../../src/store/directory.ts';
import { follow } from '../../src/store/follow.ts';
import type { StoredSpan } from '../../src/store/otlp-json.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { bytesOf, filesOf, lineOf, readAll, temporaryDirectory } from './store-fixture.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const OTHER_PROCESS = process.pid + 1;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const line = (length: number) => bytes('x'.repeat(length - 1));

/** A file as another process left it. */
function oldFile(directory: string, ageMs: number, sizeBytes = 100, name?: string): string {
  const writtenAt = new Date(Date.now() - ageMs);
  const path = join(directory, name ?? newStoreFileName(writtenAt, OTHER_PROCESS));
  writeFileSync(path, 'x'.repeat(sizeBytes));
  utimesSync(path, writtenAt, writtenAt);
  return path;
}

describe('a file that is full', () => {
  it('is followed by another, in order, and no record is lost', async () => {
    const directory = temporaryDirectory();
    const writer = new StoreWriter({ directory, maxFileBytes: 1000 });
    for (let index = 0; index < 30; index += 1) writer.append(bytes(lineOf(`span ${index}`)));
    await writer.close();
    expect(writer.droppedRecords).toBe(0);
    expect(filesOf(directory).length).toBeGreaterThan(3);
    for (const file of filesOf(directory)) expect(statSync(file).size).toBeLessThanOrEqual(1000);
    expect((await readAll(directory)).map(({ name }) => name).sort()).toEqual(
      Array.from({ length: 30 }, (_, index) => `span ${index}`).sort(),
    );
  });

  it('is followed by another at exit too, with a write still on its way', async () => {
    const directory = temporaryDirectory();
    const writer = new StoreWriter({ directory, maxFileBytes: 1000 });
    for (let index = 0; index < 30; index += 1) writer.append(line(100));
    const flushed = writer.flush();
    await Promise.resolve(); // the first write has begun
    for (let index = 0; index < 30; index += 1) writer.append(line(100));
    writer.flushSync();
    expect(bytesOf(directory)).toHaveLength(6000);
    await flushed;
    await writer.close();
    expect(bytesOf(directory)).toHaveLength(6000);
    expect(writer.droppedRecords).toBe(0);
  });

  it('does not keep its descriptor', async () => {
    const directory = temporaryDirectory();
    const open = () => readdirSync('/proc/self/fd').length;
    const writer = new StoreWriter({ directory, maxFileBytes: 100 });
    writer.append(line(100));
    await writer.flush();
    const before = open();
    for (let index = 0; index < 20; index += 1) {
      writer.append(line(100));
      await writer.flush();
    }
    expect(filesOf(directory)).toHaveLength(21);
    expect(open()).toBeLessThanOrEqual(before + 1);
    await writer.close();
  });

  it('is read by a follower across the change, each record once', async () => {
    const directory = temporaryDirectory();
    const writer = new StoreWriter({ directory, maxFileBytes: 1000 });
    const seen: StoredSpan[] = [];
    const stop = new AbortController();
    const following = follow(directory, (spans) => seen.push(...spans), stop.signal, { pollIntervalMs: 20 });
    for (let index = 0; index < 40; index += 1) {
      writer.append(bytes(lineOf(`span ${index}`)));
      if (index % 7 === 0) await writer.flush();
    }
    await writer.close();
    await expect.poll(() => seen.length, { timeout: 5_000 }).toBe(40);
    stop.abort();
    await following;
    expect(new Set(seen.map(({ name }) => name)).size).toBe(40);
  });
});

describe('a directory that is full', () => {
  it('loses the files that were written to the longest ago', async () => {
    const directory = temporaryDirectory();
    const oldest = oldFile(directory, 3 * DAY_MS, 400);
    const older = oldFile(directory, 2 * DAY_MS, 400);
    const newer = oldFile(directory, DAY_MS, 400);
    const writer = new StoreWriter({ directory, maxDirectoryBytes: 1250 });
    writer.append(line(100));
    await writer.close();
    expect([oldest, older, newer].map(existsSync)).toEqual([false, true, true]);
    expect(writer.droppedRecords).toBe(0);
    expect(filesOf(directory)).toHaveLength(3);
  });

  it('keeps the newest of one process that writes without end', async () => {
    const directory = temporaryDirectory();
    const mebibyte = 1024 * 1024;
    const writer = new StoreWriter({
      ...{ directory, maxFileBytes: mebibyte, maxDirectoryBytes: 4 * mebibyte },
      maxQueuedBytes: 64 * mebibyte,
    });
    for (let index = 0; index < 40; index += 1) {
      writer.append(bytes(`${index} ${'x'.repeat(mebibyte / 4)}`));
      await writer.flush();
    }
    await writer.close();
    expect(writer.droppedRecords).toBe(0);
    expect(bytesOf(directory).includes('\n39 ')).toBe(true); // a failing `toContain` would print megabytes
    expect(bytesOf(directory).length).toBeLessThanOrEqual(4 * mebibyte);
  });

  it('never loses a file that is not ours, nor one that a process may be writing to', async () => {
    const directory = temporaryDirectory();
    const spared = [
      oldFile(directory, 9 * DAY_MS, 400, 'collector.jsonl'),
      oldFile(directory, 9 * DAY_MS, 400, '2026-01-01T00-00-00.000Z-7-notahash.jsonl'),
      oldFile(directory, 1_000, 400),
    ];
    const elsewhere = join(temporaryDirectory(), 'kept');
    writeFileSync(elsewhere, 'x');
    const link = join(directory, newStoreFileName(new Date(0), OTHER_PROCESS));
    symlinkSync(elsewhere, link);
    const folder = join(directory, newStoreFileName(new Date(1), OTHER_PROCESS));
    mkdirSync(folder);
    const writer = new StoreWriter({ directory, maxDirectoryBytes: 1000 });
    writer.append(line(100), 7);
    await writer.close();
    expect([...spared, link, folder, elsewhere].map(existsSync)).toEqual(Array(6).fill(true));
    expect(writer.droppedRecords).toBe(7);
  });
});

describe('files that are old', () => {
  it('go when a new one is begun, ours alone', async () => {
    const directory = temporaryDirectory();
    const old = oldFile(directory, 31 * DAY_MS);
    const young = oldFile(directory, 29 * DAY_MS);
    const theirs = oldFile(directory, 99 * DAY_MS, 100, 'export.jsonl');
    const writer = new StoreWriter({ directory });
    writer.append(line(100));
    await writer.close();
    expect([old, young, theirs].map(existsSync)).toEqual([false, true, true]);
  });

  it('go after as many days as one says', async () => {
    const directory = temporaryDirectory();
    const old = oldFile(directory, 3 * DAY_MS);
    const writer = new StoreWriter({ directory, maxAgeDays: 2 });
    writer.append(line(100));
    await writer.close();
    expect(existsSync(old)).toBe(false);
  });

  it('stay while nothing is written', async () => {
    const directory = temporaryDirectory();
    const old = oldFile(directory, 99 * DAY_MS);
    await new StoreWriter({ directory }).close();
    expect(readdirSync(directory)).toEqual([basename(old)]);
  });
});
