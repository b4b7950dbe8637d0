/** What the formats that record HTTP share: requests that call no model are left out, and a log of nothing else is refused. */
import type { Exchange } from '../../exchange.ts';
import { LogError } from '../log-error.ts';
import type { LogFormat, LogRecord } from './format.ts';

interface HttpLog {
  readonly name: string;
  readonly fits: LogFormat['fits'];
  readonly exchangesOf: (
    record: LogRecord,
  ) => Iterable<{ readonly exchange: Exchange | string | undefined; readonly source: string }>;
}

export function httpLog({ name, fits, exchangesOf }: HttpLog): LogFormat {
  return {
    name,
    fits,
    async *read(records, { file, onSkippedLine }) {
      let calls = 0;
      let others = 0;
      for await (const record of records) {
        for (const { exchange, source } of exchangesOf(record)) {
          if (exchange === undefined) others += 1;
          else calls += 1;
          if (typeof exchange === 'string') onSkippedLine({ source, reason: exchange });
          else if (exchange !== undefined) yield { exchange, source };
        }
      }
      if (calls === 0) {
        throw new LogError(
          `${file} (${name}) holds no call to a model API (HTTP exchanges in it: ${others})`,
        );
      }
    },
  };
}
