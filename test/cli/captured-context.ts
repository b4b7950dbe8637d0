/** A command's world with its output caught: no terminal, no colour, wide enough for whole sentences. */
import { Readable } from 'node:stream';
import type { CommandContext } from '../../cli/command-context.ts';

process.env.TZ = 'UTC';

export interface CapturedContext extends CommandContext {
  readonly out: () => string;
  readonly err: () => string;
}

export function capturedContext(
  overrides: Partial<CommandContext> & { readonly input?: string } = {},
): CapturedContext {
  const { input, ...rest } = overrides;
  const texts = { out: '', err: '' };
  const output = (name: keyof typeof texts) => ({
    columns: 100,
    write: (text: string) => {
      texts[name] += text;
    },
  });
  return {
    stdin: Readable.from(input === undefined ? [] : [input]),
    stdout: output('out'),
    stderr: output('err'),
    env: { NO_COLOR: '1' },
    workingDirectory: process.cwd(),
    out: () => texts.out,
    err: () => texts.err,
    ...rest,
  };
}
