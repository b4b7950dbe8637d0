#!/usr/bin/env node
// Draws the plots of the README from the results, as SVG that reads on light and on dark ground.
//   node test/bench/plots.mjs [--results test/bench/results/latest.json] [--out docs/pictures]
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    results: { type: 'string', default: 'test/bench/results/latest.json' },
    out: { type: 'string', default: 'docs/pictures' },
  },
});
const result = JSON.parse(readFileSync(values.results, 'utf8'));

/** Colours that keep apart on white and on black, also for those who see fewer; ours is the strongest. */
const COLOURS = {
  'prefixtrace-memory': '#1f77d0',
  'prefixtrace-store': '#6cb4ee',
  contrib: '#e08a1e',
  traceloop: '#2ca05a',
  langfuse: '#c2459b',
  openinference: '#d0453a',
  stringify: '#8a8f98',
};
const WIDTH = 760;
const HEIGHT = 400;
const PLOT = { left: 64, right: 560, top: 48, bottom: 344 };

const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
const short = (value) =>
  value >= 1e6
    ? `${value / 1e6} M`
    : value >= 1_000
      ? value.toLocaleString('en')
      : String(Number(value.toPrecision(2)));

/** Round steps: 1, 2 or 5 times a power of ten. */
function linearTicks(highest) {
  const rough = highest / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough);
  return Array.from({ length: Math.floor(highest / step) + 1 }, (_, at) => at * step);
}
const logTicks = (lowest, highest) =>
  Array.from({ length: Math.round(Math.log10(highest / lowest)) + 1 }, (_, at) => lowest * 10 ** at);

function axis({ isLog, values: shown }) {
  const highest = Math.max(...shown);
  if (!isLog) {
    const ticks = linearTicks(highest);
    return { ticks, share: (value) => value / highest };
  }
  const lowest = 10 ** Math.floor(Math.log10(Math.min(...shown.filter((value) => value > 0))));
  const top = 10 ** Math.ceil(Math.log10(highest));
  const share = (value) =>
    Math.log10(Math.max(value, lowest) / lowest) / Math.max(1, Math.log10(top / lowest));
  return { ticks: logTicks(lowest, top), share };
}

/** `lines`: { key, label, points: [[x, y, lowest, highest]] } */
function plot({ title, across, up, lines, isLogAcross = false, isLogUp = false }) {
  const all = lines.flatMap(({ points }) => points);
  const x = axis({ isLog: isLogAcross, values: all.map(([value]) => value) });
  const y = axis({
    isLog: isLogUp,
    values: all.flatMap(([, value, , highest]) => [value, highest ?? value]),
  });
  const px = (value) => (PLOT.left + x.share(value) * (PLOT.right - PLOT.left)).toFixed(1);
  const py = (value) => (PLOT.bottom - y.share(Math.max(0, value)) * (PLOT.bottom - PLOT.top)).toFixed(1);
  const grid = y.ticks.map(
    (tick) =>
      `<line class="grid" x1="${PLOT.left}" x2="${PLOT.right}" y1="${py(tick)}" y2="${py(tick)}"/><text x="${PLOT.left - 8}" y="${Number(py(tick)) + 4}" text-anchor="end">${short(tick)}</text>`,
  );
  const below = x.ticks.map(
    (tick) => `<text x="${px(tick)}" y="${PLOT.bottom + 20}" text-anchor="middle">${short(tick)}</text>`,
  );
  const drawn = lines.map(({ key, points }) => {
    const colour = COLOURS[key];
    const way = points.map(([at, value]) => `${px(at)},${py(value)}`).join(' ');
    const ranges = points.filter(([, , lowest]) => lowest !== undefined);
    const back = [...ranges].reverse();
    const area = [
      ...ranges.map(([at, , , highest]) => `${px(at)},${py(highest)}`),
      ...back.map(([at, , lowest]) => `${px(at)},${py(lowest)}`),
    ].join(' ');
    const dash = key === 'stringify' ? ' stroke-dasharray="5 4"' : '';
    const dots =
      points.length > 12
        ? ''
        : points
            .map(([at, value]) => `<circle cx="${px(at)}" cy="${py(value)}" r="3" fill="${colour}"/>`)
            .join('');
    const width = key.startsWith('prefixtrace') ? 3 : 2;
    return `<polygon points="${area}" fill="${colour}" opacity="0.13"/><polyline points="${way}" fill="none" stroke="${colour}" stroke-width="${width}"${dash}/>${dots}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(title)}">
<style>
text { font: 13px system-ui, sans-serif; fill: #57606a; }
.title { font-size: 15px; font-weight: 600; fill: #24292f; }
.grid { stroke: #8a8f98; stroke-opacity: 0.3; }
@media (prefers-color-scheme: dark) { text { fill: #9aa4af; } .title { fill: #e6edf3; } }
</style>
<text class="title" x="${PLOT.left}" y="24">${escaped(title)}</text>
${grid.join('\n')}
${below.join('\n')}
<text x="${(PLOT.left + PLOT.right) / 2}" y="${PLOT.bottom + 42}" text-anchor="middle">${escaped(across)}</text>
<text transform="translate(16 ${(PLOT.top + PLOT.bottom) / 2}) rotate(-90)" text-anchor="middle">${escaped(up)}</text>
${drawn.join('\n')}
${labels(lines, py).join('\n')}
</svg>
`;
}

/** Names at the ends of their lines, pushed apart where they would overlap. */
function labels(lines, py) {
  const placed = lines
    .map(({ key, label, points }) => ({ key, label, at: Number(py(points.at(-1)[1])) }))
    .sort((a, b) => a.at - b.at);
  placed.forEach((line, index) => {
    if (index > 0) line.at = Math.max(line.at, placed[index - 1].at + 17);
  });
  // Those that were pushed below the plot push back.
  for (let index = placed.length - 1, lowest = PLOT.bottom; index >= 0; index -= 1, lowest -= 17)
    placed[index].at = Math.min(placed[index].at, lowest);
  return placed.map(
    ({ key, label, at }) =>
      `<text x="${PLOT.right + 10}" y="${(at + 4).toFixed(1)}" style="fill:${COLOURS[key]};font-weight:600">${escaped(label)}</text>`,
  );
}

const SHOWN = Object.keys(COLOURS).filter((key) => key !== 'stringify');
const NAMES = {
  'prefixtrace-memory': 'prefixtrace',
  'prefixtrace-store': 'prefixtrace, store',
  contrib: 'OpenTelemetry contrib',
  traceloop: 'Traceloop',
  langfuse: 'Langfuse',
  openinference: 'OpenInference',
};

function ofHistory() {
  const plain = result.growth.filter(({ isStreamed, subject }) => !isStreamed && SHOWN.includes(subject));
  const lines = plain.map(({ subject, bins }) => ({
    key: subject,
    label: NAMES[subject],
    points: bins.map(({ messages, cpuMs }) => [messages, cpuMs.median, cpuMs.lowest, cpuMs.highest]),
  }));
  const { bins } = plain[0];
  const stringify = bins.map(({ messages, stringifyMs }) => [messages, stringifyMs.median]);
  return plot({
    title: 'CPU added to a call as its history grows',
    across: 'messages in the request',
    up: 'milliseconds',
    lines: [...lines, { key: 'stringify', label: 'one JSON.stringify', points: stringify }],
  });
}

function ofLineages(title, up, figureOf) {
  const lines = SHOWN.flatMap((key) => {
    const rows = result.lineages
      .filter(({ subject }) => subject === key)
      .sort((a, b) => a.lineages - b.lineages);
    const points = rows.map((row) => [row.lineages, figureOf(row)]);
    return points.length > 0 ? [{ key, label: NAMES[key], points }] : [];
  });
  return plot({ title, across: 'conversations of 300 messages at once', up, lines, isLogAcross: true });
}

mkdirSync(values.out, { recursive: true });
const write = (name, picture) => writeFileSync(join(values.out, name), picture);
if (result.growth.length > 0) write('bench-history.svg', ofHistory());
if (result.lineages.length > 0) {
  write(
    'bench-lineages.svg',
    ofLineages('CPU added to a call, by conversations at once', 'milliseconds', ({ cpuMs }) => cpuMs),
  );
  write(
    'bench-memory.svg',
    ofLineages('Memory kept, by conversations at once', 'megabytes', ({ bytes }) => Math.max(0, bytes) / 1e6),
  );
}
