/** Each lineage call by call: a bar of what was read, written and neither, and the mark of what broke it. */
import { categoryOf, causeOf } from '../../summary/classify.ts';
import { idleBeforeMs } from '../../summary/groups.ts';
import type { CallsByIndex, ReportedCall } from '../../summary/reported-call.ts';
import {
  countOf,
  formatCount,
  formatDuration,
  formatShare,
  formatTimeOfDay,
  formatUsd,
} from '../../terminal/format.ts';
import { html, type Markup, withBreaks } from './html.ts';
import { LEGEND } from './legend.ts';
import type { PageContent, Timeline } from './page-content.ts';
import { callBar } from './pictures.ts';
import type { TimelineRow } from './shown-rows.ts';

const OPEN_TIMELINES = 2;

export function timelinesSection({ report, timelines }: PageContent): Markup {
  const more = report.summary.totals.lineages - timelines.length;
  return html`<section aria-labelledby="timelines"><h2 id="timelines">Timelines</h2>
<p class="soft">A call a row. The bar is as long as the prompt; its mark shows where the cache stopped helping.</p>
${LEGEND}
${timelines.map((timeline, index) => timelineDetails(timeline, index, report.callsByIndex))}
${more > 0 ? html`<p class="soft">… ${countOf(more, 'more lineage')} without a timeline here; \`prefixtrace view\` has them.</p>` : null}
</section>`;
}

function timelineDetails({ lineage, rows }: Timeline, index: number, byIndex: CallsByIndex): Markup {
  const { calls, totals, words, models } = lineage;
  const longest = calls.reduce((most, call) => Math.max(most, call.tokens.input), 1);
  return html`<details id="lineage-${index + 1}"${index < OPEN_TIMELINES ? html` open` : null}><summary><h3>${words} <span class="soft">${models.join(', ')}</span></h3><span>${countOf(totals.calls, 'call')} · read ${formatShare(totals.hitRate)}</span></summary>
<div class="inside scroll" role="region" aria-label="Timeline ${index + 1}" tabindex="0"><table><thead><tr><th scope="col" class="n">call</th><th scope="col" class="spare">at</th><th scope="col" class="wide">prompt</th><th scope="col" class="n">read</th><th scope="col">what happened</th></tr></thead><tbody>${rows.map((row) => timelineRow(row, longest, byIndex))}</tbody></table></div></details>`;
}

function timelineRow(row: TimelineRow, longest: number, byIndex: CallsByIndex): Markup {
  if ('leftOut' in row)
    return html`<tr><td class="quiet" colspan="5">… ${formatCount(row.leftOut)} more</td></tr>`;
  const { call } = row;
  const { input, cacheRead } = call.tokens;
  const share = cacheRead === null || input === 0 ? null : cacheRead / input;
  return html`<tr id="call-${call.index + 1}"><th scope="row" class="n">${formatCount(call.index + 1)}</th><td class="spare soft">${formatTimeOfDay(call.at)}</td><td class="wide">${callBar(call, longest)}</td><td class="n">${formatShare(share)}</td><td>${remark(call, byIndex)}</td></tr>
`;
}

function remark(call: ReportedCall, byIndex: CallsByIndex): Markup | null {
  const cause = causeOf(call) ?? '';
  const usd = call.cost?.rebilledUsd ?? null;
  const cost = usd === null || usd === 0 ? '' : ` ${formatUsd(usd)}`;
  switch (categoryOf(call)) {
    case 'fault':
      return html`<span class="tag">${withBreaks(cause)}</span>${cost}`;
    case 'circumstance': {
      const idleMs = call.miss === 'ttl_expired' ? idleBeforeMs(call, byIndex) : null;
      const words = idleMs === null ? cause.replaceAll('_', ' ') : `${formatDuration(idleMs)} idle, lapsed`;
      return html`<span class="tag lapse-tag">${words}</span>${cost}`;
    }
    case 'declared':
      return html`<span class="soft">${cause}, meant${cost}</span>`;
    case 'quiet':
      return call.baseline === null && call.turn === 1 ? html`<span class="soft">first call</span>` : null;
  }
}
