/** What could not be seen, in one place: a report that leaves something out says so. */
import { countOf } from '../terminal/format.ts';
import type { Summary } from './summary.ts';

interface Told {
  readonly count: number;
  readonly first: readonly { readonly source: string | null; readonly reason: string }[];
}

/** What the source could not read. */
export interface UnreadParts {
  readonly unreadable: Told;
  readonly skippedLines: Told;
  readonly unreadFiles: Told;
}

export interface Unseen {
  readonly what: 'usage' | 'price' | 'unread_files' | 'unreadable' | 'skipped_lines' | 'cause' | 'windows';
  readonly count: number;
  readonly text: string;
}

export function unseenParts(
  { totals, circumstances, lineages, unpriced }: Summary,
  { unreadFiles, unreadable, skippedLines }: UnreadParts,
): Unseen[] {
  const unexplained = circumstances
    .filter(({ cause }) => cause === 'unexplained')
    .reduce((sum, { callCount }) => sum + callCount, 0);
  const whole = lineages.filter(({ calls, totals: { calls: count } }) => calls.length === count);
  const partly = totals.lineages - whole.length;
  const parts: Unseen[] = [
    {
      what: 'usage',
      count: totals.callsWithoutUsage,
      text: `${countOf(totals.callsWithoutUsage, 'call')} without usage: in no rate, cost unknown`,
    },
    {
      what: 'price',
      count: unpriced.count,
      text: `${countOf(unpriced.count, 'call')} without a known price: ${someOf(unpriced.models)}`,
    },
    {
      what: 'unread_files',
      count: unreadFiles.count,
      text: `${countOf(unreadFiles.count, 'file')} not read, or not to the end${firstOf(unreadFiles)}`,
    },
    {
      what: 'unreadable',
      count: unreadable.count,
      text: `${countOf(unreadable.count, 'call')} that could not be read${firstOf(unreadable)}`,
    },
    {
      what: 'skipped_lines',
      count: skippedLines.count,
      text: `${countOf(skippedLines.count, 'line')} without a call${firstOf(skippedLines)}`,
    },
    {
      what: 'cause',
      count: unexplained,
      text: `${countOf(unexplained, 'loss', 'losses')} without a known cause: the log holds no prompt`,
    },
    {
      what: 'windows',
      count: partly,
      text: `${countOf(partly, 'lineage')} not read call by call: how full their context window was, and where it was cut, is not known`,
    },
  ];
  return parts.filter(({ count }) => count > 0);
}

function firstOf({ first: [note] }: Told): string {
  if (note === undefined) return '';
  return `, first ${note.source === null ? '' : `${note.source}: `}${note.reason}`;
}

const MOST_NAMES = 3;

function someOf(names: readonly string[]): string {
  const rest = names.length - MOST_NAMES;
  return `${names.slice(0, MOST_NAMES).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
