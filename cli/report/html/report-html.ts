/**
 * The report as one page for people who were not in the terminal. It asks nothing of anybody: no script, no network, no
 * other file; its policy forbids them too, so that text of recorded traffic that slipped through would still do nothing.
 */
import { createHash } from 'node:crypto';
import { countOf, formatDuration } from '../../terminal/format.ts';
import type { Report } from '../report.ts';
import { findingsSection } from './findings-section.ts';
import { html, type Markup, textOf, trusted } from './html.ts';
import { lineagesSection } from './lineages-section.ts';
import { overviewSection } from './overview-section.ts';
import { type PageContent, pageContent } from './page-content.ts';
import { SHAPES } from './pictures.ts';
import { STYLE } from './style.ts';
import { timelinesSection } from './timelines-section.ts';
import { windowSection } from './window-section.ts';

export interface ReportHtmlOptions {
  /** Show the text that changed, where the source holds it: it is part of the prompts. */
  readonly showsExcerpts: boolean;
}

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
/** The page's own style sheet, told by its hash, and nothing else. */
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'`;

export function reportHtml(report: Report, { showsExcerpts }: ReportHtmlOptions): string {
  const content = pageContent(report, showsExcerpts);
  const windows = windowSection(content);
  const findings = findingsSection(content);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="prefixtrace">
<title>Prompt cache report: ${report.title}</title>
<style>${trusted(STYLE)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the report</a>
${SHAPES}
<header>
<p class="brand">prefixtrace</p>
<h1>Prompt cache report: ${report.title}</h1>
<p class="soft">${extent(report)}</p>
<nav aria-label="Sections"><ul>
${findings && html`<li><a href="#findings">Findings</a></li>`}
${windows && html`<li><a href="#window">Context window</a></li>`}
<li><a href="#lineages">Lineages</a></li>
<li><a href="#timelines">Timelines</a></li>
<li><a href="#unseen">Not seen</a></li>
</ul></nav>
</header>
<main id="content">
${overviewSection(content)}
${findings}
${windows}
${lineagesSection(content)}
${timelinesSection(content)}
${unseenSection(content)}
</main>
<footer>
<p>Billed again: tokens that the cache had held and that were paid for in full once more. ~ marks an estimate, ≥ a sum of which parts are unknown, – what is unknown.</p>
<p>${priceDates(report)}This file holds ${showsExcerpts ? 'excerpts of the prompts where they were recorded' : 'no text of the prompts beyond names and paths'}; it loads nothing and runs nothing.</p>
</footer>
</body>
</html>
`;
  return textOf(page);
}

function extent({ summary: { totals } }: Report): string {
  return [
    ...(totals.firstMs === null ? [] : [dayOf(totals.firstMs)]),
    ...(totals.spanMs === null ? [] : [formatDuration(totals.spanMs)]),
    countOf(totals.lineages, 'lineage'),
    countOf(totals.calls, 'call'),
  ].join(' · ');
}

/** Local, as the times of day in the report are. */
function dayOf(atMs: number): string {
  return new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'long',
    timeStyle: 'short',
  }).format(atMs);
}

function unseenSection({ report: { unseen } }: PageContent): Markup {
  return html`<section aria-labelledby="unseen"><h2 id="unseen">Not seen</h2>${
    unseen.length === 0
      ? html`<p class="note">Nothing was left out: every call reports its usage and has a price.</p>`
      : html`<ul class="plain">${unseen.map(({ text }) => html`<li>${text}</li>`)}</ul>`
  }</section>`;
}

function priceDates({ summary: { totals } }: Report): string {
  return totals.priceDates.length === 0 ? '' : `Prices of ${totals.priceDates.join(', ')}. `;
}
