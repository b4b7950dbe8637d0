/** SOURCE on the command line → where the calls come from, told by what lies there and not by its name. */
import { stat } from 'node:fs/promises';
import { relative } from 'node:path';
import { storeDirectory } from '../../src/store/directory.ts';
import type { CommandContext } from '../command-context.ts';
import { fileProblem, UserError } from '../errors.ts';
import type { CallSource } from './call-source.ts';
import { openInput, peek, resolvePath, STANDARD_INPUT } from './input-file.ts';

export interface OpenSourceOptions {
  /** The default store may come into being later: a viewer waits for it. */
  readonly mayBeMissing?: boolean;
}

export async function openSource(
  path: string | undefined,
  context: CommandContext,
  { mayBeMissing = false }: OpenSourceOptions = {},
): Promise<CallSource> {
  if (path === undefined) return defaultStore(context, mayBeMissing);
  if (path !== STANDARD_INPUT && (await isDirectory(path, context)))
    return store(resolvePath(path, context), path);
  const { head, input } = await peek(await openInput(path, context));
  if (isOtlp(head)) {
    const { otlpFileSource } = await import('./local-store.ts');
    return otlpFileSource(input);
  }
  const { exchangeLogSource } = await import('./exchange-log.ts');
  return exchangeLogSource(input);
}

async function defaultStore(context: CommandContext, mayBeMissing: boolean): Promise<CallSource> {
  const directory = resolvePath(storeDirectory(context.env), context);
  const name = relative(context.workingDirectory, directory);
  const shownName = name === '' || name.startsWith('..') ? directory : name;
  const exists = await stat(directory).then(
    () => true,
    () => false,
  );
  if (!exists && !mayBeMissing) {
    throw new UserError(
      `no store at ${shownName}; record calls with observe() first, name a file, or try \`prefixtrace demo\``,
    );
  }
  return store(directory, shownName);
}

async function store(directory: string, name: string): Promise<CallSource> {
  const { localStoreSource } = await import('./local-store.ts');
  return localStoreSource(directory, name);
}

async function isDirectory(path: string, context: CommandContext): Promise<boolean> {
  try {
    return (await stat(resolvePath(path, context))).isDirectory();
  } catch (error) {
    throw new UserError(`cannot read ${path}: ${fileProblem(error)}`, { cause: error });
  }
}

function isOtlp(head: string): boolean {
  return /^\ufeff?\s*\{\s*"resource_?spans"/i.test(head);
}
