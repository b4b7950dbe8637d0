/** The five figures at the top of a report, each with what it could have been or what it leaves out. */
import { possibleUsd, type Totals } from '../summary/totals.ts';
import {
  countOf,
  formatCount,
  formatMeasure,
  formatShare,
  formatTokens,
  formatUsd,
} from '../terminal/format.ts';

export interface OverviewFact {
  readonly name: string;
  readonly value: string;
  readonly remark: string;
}

export function overviewFacts(totals: Totals): OverviewFact[] {
  const possible = possibleUsd(totals);
  const isLossy = (totals.avoidableTokens.value ?? 0) > 0;
  return [
    {
      name: 'Calls',
      value: formatCount(totals.calls),
      remark:
        totals.callsWithoutUsage === 0
          ? ''
          : `${formatCount(totals.callsWithoutUsage)} without usage, in no rate below`,
    },
    { name: 'Input tokens', value: formatMeasure(totals.inputTokens, formatTokens), remark: '' },
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
      name: 'Cost',
      value: formatMeasure(totals.usd, formatUsd),
      remark: costRemark(totals, isLossy ? possible : null),
    },
  ];
}

function costRemark(totals: Totals, possible: number | null): string {
  const parts = possible === null ? [] : [`could be ${formatUsd(possible)}`];
  if (totals.usd.unknownCalls > 0) parts.push(`no price for ${countOf(totals.usd.unknownCalls, 'call')}`);
  return parts.join('; ');
}
