/** The log that `--log FILE` asks for. It holds prompts, so a new one is for its owner alone. */
import { once } from 'node:events';
import { type FileHandle, open } from 'node:fs/promises';
import type { Exchange } from '../../src/exchange.ts';
import { exchangeLine } from '../../src/logs/exchange-line.ts';
import type { CommandContext } from '../command-context.ts';
import { fileProblem, UserError } from '../errors.ts';
import { resolvePath } from '../sources/input-file.ts';

export interface ExchangeLogFile {
  write(exchange: Exchange): void;
  /** Resolves when all is written, or cannot be: that was said. */
  close(): Promise<void>;
}

const OWNER_ONLY_FILE = 0o600;

export async function openExchangeLog(path: string, context: CommandContext): Promise<ExchangeLogFile> {
  let handle: FileHandle;
  try {
    // Appended to: an evening's recording is not lost to a second start.
    handle = await open(resolvePath(path, context), 'a', OWNER_ONLY_FILE);
  } catch (error) {
    throw new UserError(`cannot write ${path}: ${fileProblem(error)}`, { cause: error });
  }
  const stream = handle.createWriteStream();
  let hasFailed = false;
  stream.on('error', (error) => {
    if (!hasFailed)
      context.stderr.write(`prefixtrace: cannot write ${path}: ${fileProblem(error)}; calls go on\n`);
    hasFailed = true;
  });
  return {
    write(exchange) {
      if (!hasFailed) stream.write(exchangeLine(exchange));
    },
    async close() {
      stream.end();
      if (!stream.closed) await once(stream, 'close').catch(() => undefined);
    },
  };
}
