/** A file, or standard input for `-`, as a stream of bytes with errors that a person can act on. */
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CommandContext } from '../command-context.ts';
import { fileProblem, UserError } from '../errors.ts';

export const STANDARD_INPUT = '-';

/** A line of a log is often longer than the 64 kB that a stream reads at a time. */
const CHUNK_BYTES = 1024 * 1024;

export interface InputFile {
  /** As given; `<stdin>` for `-`. */
  readonly name: string;
  /** In a folder, among others: it may be something else than a log. */
  readonly isFound?: boolean;
  readonly chunks: AsyncIterable<Uint8Array | string>;
}

export interface OpenOptions {
  /** Told of the bytes that were read of the file, packed as they may be. */
  readonly onBytes?: ((count: number) => void) | undefined;
}

export async function openInput(
  path: string,
  context: CommandContext,
  { onBytes }: OpenOptions = {},
): Promise<InputFile> {
  if (path === STANDARD_INPUT) {
    if (context.stdin.isTTY)
      throw new UserError('nothing to read: pipe a log into the command, or give a file name');
    return { name: '<stdin>', chunks: counted(context.stdin, onBytes) };
  }
  try {
    const handle = await open(resolvePath(path, context));
    const chunks = handle.createReadStream({ highWaterMark: CHUNK_BYTES });
    return { name: path, chunks: counted(translated(chunks, path), onBytes) };
  } catch (error) {
    throw cannotRead(path, error);
  }
}

export function resolvePath(path: string, context: CommandContext): string {
  return resolve(context.workingDirectory, path);
}

async function* translated(chunks: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    throw cannotRead(path, error);
  }
}

async function* counted<T extends Uint8Array | string>(
  chunks: AsyncIterable<T>,
  onBytes: OpenOptions['onBytes'],
): AsyncGenerator<T> {
  for await (const chunk of chunks) {
    onBytes?.(chunk.length);
    yield chunk;
  }
}

export function cannotRead(path: string, error: unknown): UserError {
  return new UserError(`cannot read ${path}: ${fileProblem(error)}`, { cause: error });
}
