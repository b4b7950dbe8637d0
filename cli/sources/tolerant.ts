/** Several inputs, one after the other: what is wrong with one is noted, and the others still count. */
import { ForeignLogError, LogError, withoutPlace } from '../../src/logs/log-error.ts';
import { UserError } from '../errors.ts';
import type { SourceNotes } from './notes.ts';

interface Named {
  readonly name: string;
  readonly isFound?: boolean | undefined;
}

/** Throws only where nothing could be read of any of them. */
export async function* eachInput<I extends Named, T>(
  inputs: Iterable<I> | AsyncIterable<I>,
  notes: SourceNotes,
  read: (input: I) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const problems: (LogError | UserError)[] = [];
  let hasRead = false;
  for await (const input of inputs) {
    try {
      for await (const item of read(input)) {
        hasRead = true;
        yield item;
      }
      hasRead = true;
    } catch (error) {
      if (!(error instanceof LogError || error instanceof UserError)) throw error;
      problems.push(error);
      noteProblem(error, input, notes);
    }
  }
  const [first] = problems;
  if (hasRead || first === undefined) return;
  const all = problems.length === 1 ? '' : `none of ${problems.length} files can be read: `;
  throw new UserError(`${all}${first.message}`, { cause: first });
}

function noteProblem(
  error: LogError | UserError,
  { name, isFound = false }: Named,
  notes: SourceNotes,
): void {
  const isForeign = isFound && error instanceof ForeignLogError;
  const reason = error instanceof LogError ? withoutPlace(error, name) : withoutPath(error.message, name);
  notes[isForeign ? 'foreignFiles' : 'unreadFiles'].add({ source: name, reason });
}

/** `cannot read a.jsonl: no such file` → `no such file`. */
function withoutPath(message: string, name: string): string {
  return message.replace(`cannot read ${name}: `, '');
}
