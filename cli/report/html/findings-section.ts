/** The losses by cause: the table of all, then each with its costliest call drawn and explained. */
import { spanBetween } from '../../../src/divergence/text-span.ts';
import { certaintyInWords, explain, type Fact, scopeInWords } from '../../summary/explain.ts';
import { groupRow } from '../../summary/group-row.ts';
import type { CauseGroup } from '../../summary/groups.ts';
import { phraseFor } from '../../summary/phrases.ts';
import type { ReportedCall } from '../../summary/reported-call.ts';
import { countOf, formatTimeOfDay, formatTokens } from '../../terminal/format.ts';
import { html, type Markup, withBreaks, withCode } from './html.ts';
import type { PageContent } from './page-content.ts';
import { promptPicture } from './prompt-picture.ts';

const TITLES: Readonly<Record<CauseGroup['category'], string>> = {
  fault: 'Findings: a change to the requests mends these',
  circumstance: 'Not the prompt',
  declared: 'Meant',
};

export function findingsSection(content: PageContent): Markup | null {
  const { groups, detailed } = content;
  if (groups.length === 0) return null;
  return html`<section aria-labelledby="findings"><h2 id="findings">What it was spent on again</h2>
<p class="soft">Tokens that the cache held and that were billed again, by cause; the costliest first.</p>
<div class="scroll" role="region" aria-label="Losses by cause" tabindex="0"><table><thead><tr><th scope="col">cause</th><th scope="col">where</th><th scope="col" class="n">calls</th><th scope="col" class="n spare">tokens</th><th scope="col" class="n">cost</th></tr></thead>
${(['fault', 'circumstance', 'declared'] as const).map((category) => categoryRows(content, category))}</table></div>
${detailed.map((group, index) => finding(group, index, content))}
${groups.length > detailed.length ? html`<p class="soft">… ${countOf(groups.length - detailed.length, 'more cause')} without a picture.</p>` : null}
</section>`;
}

function categoryRows({ groups, detailed }: PageContent, category: CauseGroup['category']): Markup | null {
  const members = groups.filter((group) => group.category === category).slice(0, MOST_ROWS);
  if (members.length === 0) return null;
  return html`<tbody><tr><th scope="rowgroup" colspan="5">${TITLES[category]}</th></tr>${members.map(
    (group) => {
      const row = groupRow(group);
      const index = detailed.indexOf(group);
      const name = html`<code>${withBreaks(row.cause)}</code>`;
      return html`<tr><th scope="row">${index < 0 ? name : html`<a href="#finding-${index + 1}">${name}</a>`}${phrase(row.cause, html`<br>`)}</th><td><span class="path">${row.place}</span></td><td class="n">${row.calls}</td><td class="n spare">${row.tokens}</td><td class="n">${row.usd}</td></tr>`;
    },
  )}</tbody>`;
}

const MOST_ROWS = 100;

/** Some causes are words already. */
function phrase(cause: string, gap: Markup): Markup | null {
  const words = phraseFor(cause);
  return words === cause.replaceAll('_', ' ') ? null : html`${gap}<span class="soft">${words}</span>`;
}

function finding(group: CauseGroup, index: number, content: PageContent): Markup {
  const row = groupRow(group);
  const { worst } = group;
  const facts = explain(worst, content.report.callsByIndex).filter(({ name }) => !isExcerpt(name));
  return html`<details id="finding-${index + 1}"${index < OPEN_FINDINGS ? html` open` : null}><summary><h3><code>${withBreaks(row.cause)}</code>${phrase(row.cause, html` `)}</h3><span>${countOf(group.callCount, 'call')} · ${row.tokens} tokens · ${row.usd}</span></summary>
<div class="inside">
<p class="soft">The costliest: ${aboutCall(worst, content)}</p>
${strip(worst)}
<dl class="facts">${facts.map(factRows)}${content.showsExcerpts ? excerptRows(worst) : null}</dl>
${otherCalls(group, content)}
</div></details>`;
}

const OPEN_FINDINGS = 3;

function isExcerpt(name: Fact['name']): boolean {
  return name === 'before' || name === 'after';
}

function factRows({ name, text }: Fact): Markup {
  return html`<dt>${name}</dt><dd class="${name === 'do' ? 'do' : name === 'at' ? 'path' : ''}">${name === 'do' ? withCode(text) : text}</dd>`;
}

function aboutCall(call: ReportedCall, { drawnCalls }: PageContent): Markup {
  const parts = [
    scopeInWords(call),
    call.model ?? 'unknown model',
    formatTimeOfDay(call.at),
    ...(call.source === null ? [] : [call.source]),
  ];
  return html`${callLink(call, drawnCalls, `call ${call.index + 1}`)} of ${parts.join(' · ')} · ${certaintyInWords(call)}`;
}

function callLink(call: ReportedCall, drawn: ReadonlySet<number>, text: string): Markup {
  return drawn.has(call.index) ? html`<a href="#call-${call.index + 1}">${text}</a>` : html`${text}`;
}

function strip(call: ReportedCall): Markup | null {
  const picture = promptPicture(call);
  if (picture === null) return null;
  const { tokens, divergence, miss } = call;
  const mark = tokens.method === 'usage' ? '' : '~';
  const hasHeld = divergence === null && miss !== null;
  const kept = hasHeld
    ? `${mark}${formatTokens(tokens.cacheRead ?? 0)} read`
    : `~${formatTokens(tokens.shared)} shared`;
  const again =
    tokens.rebilled === null
      ? 'unknown what was billed again'
      : `${mark}${formatTokens(tokens.rebilled)} billed again`;
  return html`<figure>${picture}<figcaption>${kept}, ${again}, of ${formatTokens(tokens.input)} input tokens</figcaption></figure>`;
}

/** What differs stands out; the rest of both lines is there to find it by. */
function excerptRows({ excerpt }: ReportedCall): Markup | null {
  if (excerpt === null) return null;
  const { before, after } = excerpt;
  const span = spanBetween(before, after);
  const parts = (text: string, changed: string) => [
    text.slice(0, span.start),
    text.slice(span.start + changed.length),
  ];
  const [oldStart = '', oldEnd = ''] = parts(before, span.before);
  const [newStart = '', newEnd = ''] = parts(after, span.after);
  return html`<dt>before</dt><dd class="excerpt">${oldStart}<del>${span.before}</del>${oldEnd}</dd><dt>after</dt><dd class="excerpt">${newStart}<ins>${span.after}</ins>${newEnd}</dd>`;
}

const MOST_LINKS = 30;

function otherCalls({ calls, callCount, worst }: CauseGroup, { drawnCalls }: PageContent): Markup | null {
  const others = calls.filter((call) => call !== worst);
  if (others.length === 0) return null;
  const shown = others.slice(0, MOST_LINKS);
  const more = callCount - 1 - shown.length;
  return html`<p class="note soft">Also in ${callCount === 2 ? 'call' : 'calls'} ${shown.map((call, index) => html`${index === 0 ? '' : ', '}${callLink(call, drawnCalls, String(call.index + 1))}`)}${more > 0 ? ` and ${more.toLocaleString('en-US')} more` : null}.</p>`;
}
