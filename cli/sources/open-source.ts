/** SOURCE on the command line → where the calls come from, told by what lies there and not by its name. */
import { stat } from 'node:fs/promises';
import { relative } from 'node:path';
import { storeDirectory } from '../../src/store/directory.ts';
import type { CommandContext } from '../command-context.ts';
import { UserError } from '../errors.ts';
import type { CallSource } from './call-source.ts';
import { resolvePath, STANDARD_INPUT } from './input-file.ts';
import { resolveInputs } from './inputs.ts';
import { inputsSource } from './inputs-source.ts';

export interface OpenSourceOptions {
  /** The default store may come into being later: a viewer waits for it. */
  readonly mayBeMissing?: boolean;
}

/** Rejects where none of what was named can be read; a problem with one of several is noted by the source. */
export async function openSource(
  named: string | readonly string[] | undefined,
  context: CommandContext,
  { mayBeMissing = false }: OpenSourceOptions = {},
): Promise<CallSource> {
  const words = typeof named === 'string' ? [named] : (named ?? []);
  if (words.length === 0) return defaultStore(context, mayBeMissing);
  const inputs = await resolveInputs(words, context);
  const [first] = inputs;
  const problem = inputs.every((input) => input.problem !== null) ? first?.problem : null;
  if (problem) throw problem instanceof UserError ? problem : new UserError(problem.message);
  if (inputs.length === 1 && first?.kind === 'store')
    return store(resolvePath(first.name, context), first.name);
  return inputsSource(inputs, titleOf(words), context);
}

function titleOf([first = '', ...others]: readonly string[]): string {
  const name = first === STANDARD_INPUT ? '<stdin>' : first;
  return others.length === 0 ? name : `${name} and ${others.length} more`;
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
