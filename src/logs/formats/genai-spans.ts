/** What span formats share: calls in the order of their start, and a clear word where their content was not captured. */

import { type ModelSpan, spanExchange } from '../../spans/model-span.ts';
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
      for await (const record of records) {
        for (const span of [...callsOf(record)].sort((a, b) => (a.startMs ?? 0) - (b.startMs ?? 0))) {
          calls += 1;
          const exchange = spanExchange(span);
          if (exchange === undefined) {
            onSkippedLine({ source: span.source, reason: `a model call without its prompt: ${NO_CONTENT}` });
            continue;
          }
          withContent += 1;
          yield { exchange, source: span.source };
        }
      }
      if (calls === 0) throw new LogError(`${file} (${name}) holds no spans of model calls`);
      // One prompt alone compares with nothing: several frameworks record the first one and no other.
      if (withContent === 0 || (withContent === 1 && calls > 1)) {
        const carriers = withContent === 0 ? 'none' : 'only one';
        throw new LogError(
          `${file} (${name}): ${carriers} of ${calls} model calls carries its prompt: ${NO_CONTENT}`,
        );
      }
    },
  };
}
