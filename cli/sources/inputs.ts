/**
 * The words of a command line → what is to be read, in order: standard input, files, local stores, folders of logs walked
 * to their files, and patterns that the shell left as they were.
 */
import { stat } from 'node:fs/promises';
import { relative } from 'node:path';
import { glob, isDynamicPattern } from 'tinyglobby';
import { ForeignLogError, type LogError } from '../../src/logs/log-error.ts';
import { type FoundFiles, logFiles } from '../../src/logs/log-files.ts';
import { callTimeOf } from '../../src/logs/open-log.ts';
import { storeSizeBytes } from '../../src/store/directory.ts';
import type { CommandContext } from '../command-context.ts';
import { UserError } from '../errors.ts';
import { cannotRead, type InputFile, openInput, resolvePath, STANDARD_INPUT } from './input-file.ts';
import { isStore } from './is-store.ts';

export interface Input {
  readonly kind: 'file' | 'store';
  /** The path as given, or as found below what was given. */
  readonly name: string;
  /** Found in a folder: it may be something else than a log. */
  readonly isFound: boolean;
  /** `null` where it ends only when its writer stops. */
  readonly sizeBytes: number | null;
  /** Why it cannot be read. Told when its turn comes, so that the others still count. */
  readonly problem: UserError | LogError | null;
}

export async function resolveInputs(words: readonly string[], context: CommandContext): Promise<Input[]> {
  const inputs: Input[] = [];
  for (const word of words) {
    try {
      for (const path of await matching(word, context)) inputs.push(...(await inputsAt(path, context)));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      inputs.push({ kind: 'file', name: word, isFound: false, sizeBytes: 0, problem: error });
    }
  }
  return inputs;
}

/** Never throws: what is wrong comes with the first chunk. */
export async function openResolved(
  { name, isFound, problem }: Input,
  context: CommandContext,
  onBytes?: (count: number) => void,
): Promise<InputFile> {
  if (problem !== null) return { name, isFound, chunks: failing(problem) };
  try {
    return { ...(await openInput(name, context, { onBytes })), isFound };
  } catch (error) {
    return { name, isFound, chunks: failing(error) };
  }
}

/** A file whose name looks like a pattern is that file. */
async function matching(word: string, context: CommandContext): Promise<string[]> {
  if (word === STANDARD_INPUT || !isDynamicPattern(word) || (await exists(word, context))) return [word];
  const paths = await glob(word, {
    cwd: context.workingDirectory,
    onlyFiles: false,
    expandDirectories: false,
    followSymbolicLinks: false,
  });
  if (paths.length === 0) throw new UserError(`cannot read ${word}: nothing fits this pattern`);
  return paths.map((path) => path.replace(/\/$/, '')).sort();
}

async function inputsAt(path: string, context: CommandContext): Promise<Input[]> {
  const named = { kind: 'file', name: path, isFound: false, sizeBytes: null, problem: null } as const;
  if (path === STANDARD_INPUT) return [named];
  const resolved = resolvePath(path, context);
  const status = await stat(resolved).catch((error: unknown) => {
    throw cannotRead(path, error);
  });
  if (!status.isDirectory()) return [{ ...named, sizeBytes: status.isFile() ? status.size : null }];
  if (await isStore(resolved, context.env))
    return [{ ...named, kind: 'store', sizeBytes: storeSizeBytes(resolved) }];
  const found = await logFiles(resolved, callTimeOf).catch((error: unknown) => {
    throw cannotRead(path, error);
  });
  if (found.files.length === 0) throw new UserError(`cannot read ${path}: there is no file in this folder`);
  return inputsOf(found, context);
}

async function inputsOf({ files, passedOver }: FoundFiles, context: CommandContext): Promise<Input[]> {
  const found = { kind: 'file', isFound: true } as const;
  const nameOf = (path: string) => relative(context.workingDirectory, path);
  const others = passedOver.map(({ path, reason, isMissing }): Input => {
    const name = nameOf(path);
    const problem = isMissing
      ? new UserError(`cannot read ${name}: ${reason}`)
      : new ForeignLogError(`${name} ${reason}`);
    return { ...found, name, sizeBytes: 0, problem };
  });
  const logs = files.map(async (file): Promise<Input> => {
    const { size } = await stat(file).catch(() => ({ size: 0 }));
    return { ...found, name: nameOf(file), sizeBytes: size, problem: null };
  });
  return [...others, ...(await Promise.all(logs))];
}

function exists(word: string, context: CommandContext): Promise<boolean> {
  return stat(resolvePath(word, context)).then(
    () => true,
    () => false,
  );
}

// biome-ignore lint/correctness/useYield: it has nothing to give but its error
async function* failing(error: unknown): AsyncGenerator<Uint8Array> {
  throw error;
}
