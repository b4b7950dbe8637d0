/** The figures at the top of a report, each with what it could have been or what it is made of. */
import { causeOf } from '../summary/classify.ts';
import { scopeInWords } from '../summary/explain.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
import { hasNoCostlyChange, type Summary } from '../summary/summary.ts';
import { possibleUsd } from '../summary/totals.ts';
import { formatCount, formatMeasure, formatShare, formatTokens, formatUsd } from '../terminal/format.ts';
import type { Report } from './report.ts';

export interface OverviewFact {
  readonly name: string;
  readonly value: string;
  readonly remark: string;
}

export function overviewFacts({ summary: { totals }, resets, costliest }: Report): OverviewFact[] {
  const possible = possibleUsd(totals);
  const isLossy = (totals.avoidableTokens.value ?? 0) > 0;
  return [
    {
      name: 'Cost',
      value: formatMeasure(totals.usd, formatUsd),
      remark: isLossy && possible !== null ? `could be ${formatUsd(possible)}` : '',
    },
    {
      name: 'Read from cache',
      value: formatShare(totals.hitRate),
      remark:
        isLossy && totals.possibleHitRate !== null ? `could be ${formatShare(totals.possibleHitRate)}` : '',
    },
    {
      name: 'Billed again',
      value: formatMeasure(totals.rebilledTokens, formatTokens),
      remark: isLossy ? `${formatMeasure(totals.avoidableTokens, formatTokens)} of them avoidable` : '',
    },
    {
      name: 'Resets',
      value: formatCount(resets.reduce((sum, { calls }) => sum + calls, 0)),
      remark: resets.map(({ cause, calls }) => `${formatCount(calls)} ${cause}`).join(', '),
    },
    {
      name: 'Costliest call',
      value: costliest === null ? formatUsd(null) : formatUsd(costliest.usd),
      remark: costliest === null ? '' : costliestInWords(costliest.call),
    },
    { name: 'Input tokens', value: formatMeasure(totals.inputTokens, formatTokens), remark: '' },
    { name: 'Calls', value: formatCount(totals.calls), remark: '' },
  ];
}

/** Said plainly, and not more than is known; `null` where there are findings. */
export function noFindingInWords(summary: Summary): string | null {
  if (summary.totals.calls === 0) return 'No call was read.';
  if (hasNoCostlyChange(summary)) return 'No finding: no change to a prompt cost anything.';
  return summary.faults.length === 0 ? 'No finding in what was seen; some losses have no known cause.' : null;
}

function costliestInWords(call: ReportedCall): string {
  const cause = causeOf(call);
  return `call ${formatCount(call.index + 1)} of ${scopeInWords(call)}${cause === null ? '' : `: ${cause}`}`;
}
