/** The top of the page: the figures, what to fix first, and how it went over time. */
import { fixFirst } from '../../summary/group-row.ts';
import type { Summary } from '../../summary/summary.ts';
import { possibleUsd } from '../../summary/totals.ts';
import { formatCount, formatMeasure, formatShare, formatTokens, formatUsd } from '../../terminal/format.ts';
import { noFindingInWords, overviewFacts } from '../overview-facts.ts';
import { html, type Markup, withBreaks, withCode } from './html.ts';
import { LEGEND } from './legend.ts';
import type { PageContent } from './page-content.ts';
import { shareBar, sharesInWords, stepChart } from './pictures.ts';

export function overviewSection(content: PageContent): Markup {
  const { report } = content;
  return html`
<dl class="figures">${overviewFacts(report).map(
    ({ name, value, remark }) =>
      html`<div><dt>${name}</dt><dd class="value">${value}</dd>${remark === '' ? null : html`<dd>${withBreaks(remark.replace(/(\d) /g, '$1\u00a0'))}</dd>`}</div>`,
  )}</dl>
${fixFirstCard(content)}
${course(content)}`;
}

function fixFirstCard({ report: { summary } }: PageContent): Markup {
  const { totals } = summary;
  const fix = fixFirst(summary.faults, {
    usd: formatMeasure(totals.avoidableUsd, formatUsd),
    tokens: formatMeasure(totals.avoidableTokens, formatTokens),
  });
  if (fix === null) return noFindingCard(summary);
  return html`<section class="first" aria-labelledby="first"><h2 id="first">Fix first</h2>
<p class="what">${fix.phrase}</p>
<p class="gain">${fix.gain}</p>
<p class="soft"><span class="path">${fix.place}</span>, ${fix.extent}</p>
${fix.advice === null ? null : html`<p class="advice">→ ${withCode(fix.advice)}</p>`}</section>`;
}

/** What was lost for other reasons is no reason to feel safe. */
function noFindingCard(summary: Summary): Markup {
  const { rebilledTokens, rebilledUsd } = summary.totals;
  const isLossless = rebilledTokens.value === 0 && rebilledTokens.unknownCalls === 0;
  const loss = isLossless
    ? null
    : html`<p class="soft">${formatMeasure(rebilledTokens, formatTokens)} tokens were billed again all the same (${formatMeasure(rebilledUsd, formatUsd)}): see below.</p>`;
  return html`<section class="first ${isLossless ? 'none' : 'other'}" aria-labelledby="first"><h2 id="first">Nothing to fix first</h2><p class="what">${noFindingInWords(summary)}</p>${loss}</section>`;
}

function course({ report: { history, summary } }: PageContent): Markup {
  const { totals } = summary;
  const possible = possibleUsd(totals);
  const isLossy = (totals.avoidableTokens.value ?? 0) > 0;
  return html`<section aria-labelledby="course"><h2 id="course">Over time</h2>
<div class="course">
<p class="name"><b>${formatShare(totals.hitRate)}</b>of input read from the cache${
    isLossy ? `; could be ${formatShare(totals.possibleHitRate)}, the dashed line` : null
  }</p>
<div><div class="framed">${stepChart(history, {
    height: 88,
    words: sharesInWords('Share of input read from the cache', history),
    line: isLossy ? totals.possibleHitRate : null,
  })}</div><p class="axis" aria-hidden="true"><span>call 1</span><span>0 to 100 %</span><span>call ${formatCount(totals.calls)}</span></p></div>
<p class="name"><b>${formatMeasure(totals.usd, formatUsd)}</b>${
    isLossy && possible !== null ? `could be ${formatUsd(possible)}` : 'for all input and output'
  }</p>
<div>${shareBar(totals)}</div>
<span></span>${LEGEND}
</div></section>`;
}
