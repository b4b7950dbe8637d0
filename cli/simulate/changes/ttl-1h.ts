/** Every cache mark with a lifetime of one hour: writes cost twice the input price, and a pause costs nothing. */

import { mapMarks } from './body-marks.ts';
import type { Change } from './change.ts';

export function ttlOneHour(): Change {
  return {
    name: 'ttl-1h',
    title: 'a lifetime of 1 h',
    obstacle: ({ rules }) =>
      rules.style === 'explicit' && (rules.provider === 'anthropic' || rules.provider === 'bedrock')
        ? null
        : 'only marks of Anthropic and Bedrock have a lifetime of 1 h to ask for',
    nothingToDo: 'no mark has a shorter lifetime',
    apply: (body) => mapMarks(body, (mark) => (mark.ttl === '1h' ? mark : { ...mark, ttl: '1h' })),
  };
}
