/** A file, or standard input for `-`, as a stream of bytes with errors that a person can act on. */
import { access, constants, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CommandContext } from '../command-context.ts';
import { fileProblem, UserError } from '../errors.ts';

export const STANDARD_INPUT = '-';

export interface InputFile {
  /** As given; `<stdin>` for `-`. */
  readonly name: string;
  readonly chunks: AsyncIterable<Uint8Array | string>;
}

export async function openInput(path: string, context: CommandContext): Promise<InputFile> {
  if (path === STANDARD_INPUT) {
    if (context.stdin.isTTY)
      throw new UserError('nothing to read: pipe a log into the command, or give a file name');
    return { name: '<stdin>', chunks: context.stdin };
  }
  try {
    const handle = await open(resolvePath(path, context));
    return { name: path, chunks: translated(handle.createReadStream(), path) };
  } catch (error) {
    throw cannotRead(path, error);
  }
}

/** Before a long run begins: a mistyped last name is told at once. */
export async function checkInput(path: string, context: CommandContext): Promise<void> {
  if (path === STANDARD_INPUT) return;
  const problem = await access(resolvePath(path, context), constants.R_OK).then(
    () => null,
    (error: unknown) => cannotRead(path, error),
  );
  if (problem) throw problem;
}

/** Reads a little ahead, and gives it back in front of the rest. */
export async function peek(input: InputFile): Promise<{ readonly head: string; readonly input: InputFile }> {
  const iterator = input.chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done) return { head: '', input: { name: input.name, chunks: empty() } };
  return {
    head: typeof first.value === 'string' ? first.value : Buffer.from(first.value).toString('utf8'),
    input: { name: input.name, chunks: prepend(first.value, iterator) },
  };
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

function cannotRead(path: string, error: unknown): UserError {
  return new UserError(`cannot read ${path}: ${fileProblem(error)}`, { cause: error });
}

async function* empty(): AsyncGenerator<Uint8Array> {}

async function* prepend<T>(first: T, rest: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    yield first;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
