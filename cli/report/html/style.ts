/** The style sheet of the page: one file, no font or picture from elsewhere, light and dark, screen and paper. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #faf9f6; --surface: #ffffff; --ink: #1d2126; --soft: #59626c; --line: #e4e2dc; --tint: #f2f0ea;
  --read: #2c8a5a; --written: #e3aa3c; --written-line: #b97f14; --uncached: #e9e7e1; --uncached-line: #8d949b;
  --break: #c22f2b; --lapse: #6f48b5; --accent: #1f5fa6; --good: #1f7a4a;
}
@media (prefers-color-scheme: dark) { :root {
  --ground: #14161a; --surface: #1b1e23; --ink: #e8e8e4; --soft: #a3abb4; --line: #2e333a; --tint: #22262c;
  --read: #47a878; --written: #c9922c; --written-line: #f2c25f; --uncached: #272b31; --uncached-line: #767f89;
  --break: #ff7b70; --lapse: #b79af2; --accent: #86b8f5; --good: #6cc896;
} }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 1rem/1.55 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
header, main, footer { max-width: 66rem; margin: 0 auto; padding: 0 1.5rem; }
h1, h2, h3, p, dl, dd, figure, ul, table { margin: 0; }
a { color: var(--accent); text-underline-offset: .18em; text-decoration-thickness: 1px; }
a:focus-visible, summary:focus-visible, .scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; border-radius: 3px; }
a:has(code) { text-underline-offset: .32em; }
code, .path { font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace; font-size: .9em; }
.soft { color: var(--soft); }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1.5rem; top: .5rem; background: var(--surface); padding: .4rem .8rem; z-index: 1; }
.shapes { position: absolute; }

header { padding-top: 2.5rem; }
.brand { font-size: .875rem; font-weight: 600; letter-spacing: .01em; color: var(--accent); }
h1 { font-size: 1.85rem; line-height: 1.2; font-weight: 650; letter-spacing: -.015em; margin-top: .3rem; }
header .soft { margin-top: .45rem; }
nav { margin-top: 1.1rem; font-size: .9rem; }
nav ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .35rem 1.15rem; }
nav a { text-decoration: none; } nav a:hover { text-decoration: underline; }
section { margin-top: 3.25rem; }
h2 { font-size: 1.2rem; line-height: 1.3; font-weight: 650; letter-spacing: -.005em; }
h2 + .soft { margin-top: .2rem; font-size: .92rem; max-width: 46rem; }
h3 { font-size: .98rem; font-weight: 600; }

.figures { display: grid; grid-template-columns: repeat(4, 1fr); margin-top: 2rem; border-bottom: 1px solid var(--line); }
.figures > div { padding: 1.1rem 1.25rem 1.1rem 0; border-top: 1px solid var(--line); }
.figures > div:nth-child(5) { grid-column: span 2; }
.figures dt { font-size: .85rem; color: var(--soft); }
.figures dd { font-size: .85rem; color: var(--soft); line-height: 1.45; }
.figures dd.value { font-size: 1.7rem; line-height: 1.25; font-weight: 600; letter-spacing: -.02em; color: var(--ink); }

.first { margin-top: 2.25rem; background: var(--surface); border: 1px solid var(--line); border-left: 4px solid var(--break);
  border-radius: 8px; padding: 1.3rem 1.5rem 1.4rem; }
.first h2 { font-size: .85rem; color: var(--break); letter-spacing: .01em; }
.first .what { font-size: 1.35rem; line-height: 1.3; font-weight: 600; letter-spacing: -.01em; margin-top: .15rem; }
.first .gain { font-weight: 600; margin-top: .35rem; }
.first .advice { margin-top: .7rem; max-width: 48rem; }
.first.none { border-left-color: var(--good); } .first.none h2 { color: var(--good); }
.first.other { border-left-color: var(--lapse); } .first.other h2 { color: var(--lapse); }

.course { display: grid; grid-template-columns: 8.5rem 1fr; gap: 1.1rem 1.25rem; align-items: center; margin-top: 1.2rem; }
.course .name { font-size: .9rem; color: var(--soft); line-height: 1.4; }
.course .name b { display: block; color: var(--ink); font-weight: 600; font-size: 1.05rem; }
.framed { border-bottom: 1px solid var(--line); border-top: 1px dashed var(--line); position: relative; }
svg { display: block; }
.bar, .chart, .strip { width: 100%; }
.strip { height: auto; }
.bar { overflow: visible; min-width: 7rem; }
.mark { overflow: visible; }
.read { fill: var(--read); }
.written { fill: url(#written); }
.uncached { fill: var(--uncached); stroke: var(--uncached-line); stroke-width: 1; }
.unknown { fill: url(#unknown); stroke: var(--uncached-line); stroke-dasharray: 2 3; }
.written-ground { fill: var(--written); } .written-line { fill: var(--written-line); } .unknown-dot { fill: var(--soft); }
.gap { fill: var(--surface); }
.break { stroke: var(--break); stroke-width: 2.6; fill: none; stroke-linecap: round; }
.lapse { stroke: var(--lapse); stroke-width: 1.8; fill: none; stroke-linejoin: round; }
.area { fill: var(--read); fill-opacity: .16; }
.edge { fill: none; stroke: var(--read); stroke-width: 2; vector-effect: non-scaling-stroke; }
.could { fill: none; stroke: var(--soft); stroke-width: 1.5; stroke-dasharray: 5 4; vector-effect: non-scaling-stroke; }
.strip text { font-size: 13px; fill: var(--soft); }
.legend { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .3rem 1.25rem; font-size: .85rem; color: var(--soft); }
.legend li { display: flex; align-items: center; gap: .45rem; }
.legend svg { width: 18px; height: 14px; min-width: 0; flex: none; overflow: visible; }
.soft + .legend { margin-top: .9rem; }
.legend + details { margin-top: .9rem; }
.scroll + details { margin-top: 1.75rem; }
.axis { display: flex; justify-content: space-between; font-size: .8rem; color: var(--soft); margin-top: .25rem; }

.scroll { overflow-x: auto; margin-top: 1rem; position: relative; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; overflow-wrap: break-word; }
th, td { text-align: left; vertical-align: baseline; padding: .5rem 1rem .5rem 0; border-bottom: 1px solid var(--line); }
th:last-child, td:last-child { padding-right: 0; }
thead th { font-weight: 500; font-size: .83rem; color: var(--soft); white-space: nowrap; }
tbody th { font-weight: 500; min-width: 8rem; }
tbody th.n { min-width: 0; }
tbody th[scope=rowgroup] { color: var(--soft); font-weight: 500; font-size: .83rem; padding-top: 1.4rem; }
.n { text-align: right; white-space: nowrap; }
.wide { width: 40%; }
td.middle { vertical-align: middle; }
.tight { white-space: nowrap; }
td .soft, th .soft { font-weight: 400; font-size: .92em; }
td.quiet { color: var(--soft); text-align: center; padding: .35rem; font-size: .86rem; }
tr:target > * { background: var(--tint); }

details { border: 1px solid var(--line); border-radius: 8px; background: var(--surface); margin-top: .8rem; }
summary { padding: .8rem 1.15rem; cursor: pointer; display: flex; flex-wrap: wrap; gap: .15rem 1rem; align-items: baseline; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary::before { content: "▸"; color: var(--soft); width: .7rem; flex: none; }
details[open] > summary::before { content: "▾"; }
summary h3 { margin-right: auto; flex: 1 1 16rem; }
summary h3 .soft { font-weight: 400; }
.inside { padding: .2rem 1.15rem 1.25rem; }
.inside.scroll { margin-top: 0; padding-top: 0; }
.inside tbody tr:last-child > * { border-bottom: 0; }
figure { margin-top: .4rem; }
figcaption { font-size: .85rem; color: var(--soft); margin-top: .45rem; }
.facts { display: grid; grid-template-columns: 4.5rem 1fr; gap: .45rem 1rem; margin-top: 1rem; }
.facts dt { color: var(--soft); }
.facts .do { font-weight: 600; }
.facts .excerpt { font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace; font-size: .86em; background: var(--tint); padding: .3rem .6rem; border-radius: 4px; white-space: pre-wrap; }
del, ins { text-decoration-thickness: 2px; text-underline-offset: .2em; font-weight: 600; }
del { color: var(--break); } ins { color: var(--good); }
.tag { color: var(--break); font-weight: 600; } .tag.lapse-tag { color: var(--lapse); } .tag.good { color: var(--good); }
.plain { padding-left: 1.2rem; margin-top: .7rem; }
.note { margin-top: .9rem; max-width: 48rem; font-size: .95rem; }
footer { margin-top: 4rem; padding-top: 1.25rem; padding-bottom: 3rem; font-size: .86rem; color: var(--soft); }
footer p + p { margin-top: .4rem; }
footer::before { content: ""; display: block; border-top: 1px solid var(--line); margin-bottom: 1.25rem; }

@media screen and (max-width: 46rem) {
  header, main, footer { padding-left: 1.1rem; padding-right: 1.1rem; }
  h1 { font-size: 1.5rem; }
  .figures { grid-template-columns: 1fr 1fr; } .figures > div { padding: .8rem .9rem .8rem 0; }
  .figures dd.value { font-size: 1.4rem; }
  .course { grid-template-columns: 1fr; gap: .35rem; } .course > :nth-child(odd):not(:first-child) { margin-top: .8rem; }
  .facts { grid-template-columns: 1fr; gap: 0; } .facts dd { margin-bottom: .55rem; }
  .spare { display: none; }
  th, td { padding-right: .7rem; } .tag { overflow-wrap: anywhere; } .bar { min-width: 4.5rem; }
  .inside { padding-left: .85rem; padding-right: .85rem; }
  section { margin-top: 2.5rem; }
}
@media print {
  :root { color-scheme: light;
    --ground: #fff; --surface: #fff; --ink: #111; --soft: #4c545c; --line: #d5d5d0; --tint: #f2f2ee;
    --read: #2c8a5a; --written: #e3aa3c; --written-line: #b97f14; --uncached: #efeeea; --uncached-line: #7d848b;
    --break: #b02420; --lapse: #5d389f; --accent: #1d1d1d; --good: #1f6a42; }
  @page { margin: 16mm 14mm; }
  html { font-size: 12.5px; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  header, main, footer { max-width: none; padding: 0; }
  nav, .skip, summary::before { display: none; }
  a { color: inherit; text-decoration: none; }
  section { margin-top: 1.8rem; }
  h2, h3, thead, summary { break-after: avoid; }
  tr, .first, figure, .figures > div { break-inside: avoid; }
  details::details-content { content-visibility: visible; block-size: auto; }
  .scroll { overflow: visible; }
}
`;
