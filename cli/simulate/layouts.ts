/** Layouts: which changes are made together, and in which order. */

import { breakpointsAdvised } from './changes/breakpoints-advised.ts';
import type { Change, ChangeName } from './changes/change.ts';
import { systemTexts } from './changes/system-texts.ts';
import { toolsFirstSeen } from './changes/tools-first-seen.ts';
import { toolsSorted } from './changes/tools-sorted.ts';
import { ttlOneHour } from './changes/ttl-1h.ts';
import { VolatilePieces } from './changes/volatile-pieces.ts';
import { volatileTail } from './changes/volatile-tail.ts';
import type { RecordedCall } from './recorded-call.ts';

/** In the order in which they are made: text goes behind the marks that were placed, and all marks get their lifetime last. */
export const CHANGE_NAMES: readonly ChangeName[] = [
  'tools-sorted',
  'tools-first-seen',
  'breakpoints-advised',
  'volatile-tail',
  'ttl-1h',
];

/** Anew for each layout, as a change may remember the calls that it has seen. */
export type MakeChange = (name: ChangeName) => Change;

export function changeMaker(calls: readonly RecordedCall[]): MakeChange {
  const pieces = new VolatilePieces();
  for (const { request, lineage } of calls)
    pieces.add(lineage, systemTexts(request.api, JSON.parse(request.body)));
  return (name) => {
    switch (name) {
      case 'tools-sorted':
        return toolsSorted();
      case 'tools-first-seen':
        return toolsFirstSeen();
      case 'breakpoints-advised':
        return breakpointsAdvised();
      case 'volatile-tail':
        return volatileTail(pieces);
      case 'ttl-1h':
        return ttlOneHour();
    }
  };
}
