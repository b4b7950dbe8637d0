import type * as FileSystem from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { StoreWriter } from '../../src/store/writer.ts';
import { bytesOf, temporaryDirectory } from './store-fixture.ts';

const disk = vi.hoisted(() => ({ isFull: false }));

/** A full disk takes the part of a write that fits and then says ENOSPC, as Linux does. */
vi.mock('node:fs', async (original) => {
  const actual = await original<typeof FileSystem>();
  const noSpace = () => Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  const write = (...parameters: Parameters<typeof actual.write>) => {
    const [descriptor, bytes, , , position, done] = parameters as unknown[] as [
      ...[number, Uint8Array, number, number, number],
      (error: Error | null, written: number) => void,
    ];
    const fitting = disk.isFull && bytes.length > 10 ? 10 : bytes.length;
    const full = disk.isFull && bytes.length <= 10;
    if (full) done(noSpace(), 0);
    else done(null, actual.writeSync(descriptor, bytes, 0, fitting, position));
  };
  return { ...actual, write };
});

afterEach(() => {
  disk.isFull = false;
});

it('a full disk costs the lines that did not fit, leaves no torn line and is over when there is space again', async () => {
  const directory = temporaryDirectory();
  const writer = new StoreWriter({ directory });
  const append = async (text: string) => {
    writer.append(new TextEncoder().encode(text));
    await writer.flush();
  };
  await append('first');
  disk.isFull = true;
  await append('a line that is longer than what fits');
  disk.isFull = false;
  expect(bytesOf(directory)).toBe('first\n');
  await append('x');
  expect(bytesOf(directory)).toBe('first\nx\n');
  expect(writer.droppedRecords).toBe(1);
  await writer.close();
});
