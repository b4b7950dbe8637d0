/** What span formats share: calls in the order of their start, and a clear word where their content was not captured. */

import { type ModelSpan, spanExchange } from '../../spans/model-span.ts';
import type { LoggedExchange } from '../exchange-log.ts';
import { LogError } from '../log-error.ts';
import type { LogFormat, LogRecord } from './format.ts';

export interface SourcedSpan extends ModelSpan {
  readonly source: string;
}

const NO_CONTENT = 'no content to compare (switch content capture on, or record requests)';

export function spanLog(
  name: string,
  fits: LogFormat['fits'],
  callsOf: (record: LogRecord) => readonly SourcedSpan[],
): LogFormat {
  return {
    name,
    fits,
    async *read(records, { file, onSkippedLine }) {
      let calls = 0;
      let withContent = 0;
      let first: LoggedExchange | undefined;
      for await (const record of records) {
        for (const span of [...callsOf(record)].sort((a, b) => (a.startMs ?? 0) - (b.startMs ?? 0))) {
          calls += 1;
          const exchange = spanExchange(span);
          if (exchange === undefined) {
            onSkippedLine({ source: span.source, reason: `a model call without its prompt: ${NO_CONTENT}` });
            continue;
          }
          withContent += 1;
          const logged = { exchange, source: span.source };
          // One prompt alone compares with nothing: several frameworks record the first one and no other.
          if (withContent === 1) first = logged;
          else {
            if (first) yield first;
            first = undefined;
            yield logged;
          }
        }
      }
      if (calls === 0) throw new LogError(`${file} (${name}) holds no spans of model calls`);
      if (withContent === 0 || (withContent === 1 && calls > 1)) {
        const carriers = withContent === 0 ? 'none' : 'only one';
        throw new LogError(
          `${file} (${name}): ${carriers} of ${calls} model calls carries its prompt: ${NO_CONTENT}`,
        );
      }
      if (first) yield first;
    },
  };
}
