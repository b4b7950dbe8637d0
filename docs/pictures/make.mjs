#!/usr/bin/env node
// Makes the pictures of the README from the demo, through a real pseudo-terminal:
//   npm run build && node docs/pictures/make.mjs [COLUMNSxROWS] [FOLDER]
// Into another folder it makes those of all screens, to look at.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';

const here = dirname(fileURLToPath(import.meta.url));
const main = join(here, '../../dist/cli/main.js');
const [columns, rows] = (process.argv[2] ?? '80x24').split('x').map(Number);
const folder = resolve(process.argv[3] ?? here);

const IN_README = new Set(['overview', 'divergence', 'timeline', 'floor']);
/** Keys that lead from one picture to the next, and what has to be on the screen before it is taken. */
const PICTURES = [
  {
    name: 'overview',
    title: 'The overview: what to fix first, hit rate, findings by cost',
    keys: '',
    seen: 'Fix first',
  },
  {
    name: 'divergence',
    title: 'One call: where it diverged, why, what it cost, what to do',
    keys: '\r',
    seen: 'billed again',
  },
  { name: 'timeline', title: 'A lineage, call by call', keys: '\x1b:planner\r', seen: 'uncached' },
  { name: 'lineages', title: 'All lineages, by what could have been saved', keys: 'l', seen: 'by avoidable' },
  {
    name: 'floor',
    title: 'The floor: what every call pays before its first message',
    keys: 'F',
    seen: 'On every call',
  },
  { name: 'compare', title: 'Two calls side by side', keys: '\x1b\x1b\x1b\rcnc', seen: 'differs' },
  { name: 'keys', title: 'Keys', keys: '?', seen: 'all lineages' },
];
const PALETTE = ['#20242e', '#f07178', '#a5d6a7', '#ffcb6b', '#82aaff', '#c792ea', '#7fdbca', '#d6deeb'];
const BRIGHT = ['#5c6773', '#ff8b92', '#c3e88d', '#ffd98c', '#a0c0ff', '#ddb0ff', '#a0f0e0', '#ffffff'];
const TEXT = '#c8d0dc';
const PAPER = '#12151c';

const work = mkdtempSync(join(tmpdir(), 'prefixtrace-pictures-'));
execFileSync(process.execPath, [main, 'demo'], { env: { ...process.env, TMPDIR: work, TZ: 'UTC' } });
execFileSync('sh', ['-c', `mv ${work}/prefixtrace-demo-* ${work}/.prefixtrace`]);

// An empty CI would still count as one, where no colours are drawn.
const { CI: _, NO_COLOR: __, ...environment } = process.env;
const screen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
const viewer = spawn(process.execPath, [main, 'view', '.prefixtrace'], {
  cols: columns,
  rows,
  cwd: work,
  env: { ...environment, TERM: 'xterm-256color', TZ: 'UTC' },
});
viewer.onData((data) => screen.write(data));

mkdirSync(folder, { recursive: true });
for (const { name, title, keys, seen } of PICTURES) {
  for (const key of keys) {
    viewer.write(key);
    await sleep(250); // an escape that is followed at once would be read as the beginning of another key
  }
  await until(() => textOf().includes(seen));
  await sleep(400);
  if (folder !== here || IN_README.has(name)) writeFileSync(join(folder, `${name}.svg`), svgOf(title));
}
viewer.kill();
process.exit(0);

async function until(isThere) {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    if (isThere()) return;
    await sleep(50);
  }
  throw new Error(`the screen was not as expected:\n${textOf()}`);
}

function textOf() {
  return Array.from({ length: rows }, (_, row) =>
    screen.buffer.active.getLine(row)?.translateToString(true),
  ).join('\n');
}

/** A fixed cell width keeps boxes and bars in their columns whatever font is there. */
function svgOf(title) {
  const cell = { width: 8.4, height: 18 };
  const width = columns * cell.width + 24;
  const height = rows * cell.height + 24;
  const texts = Array.from({ length: rows }, (_, row) =>
    rowOf(row, 12, 12 + row * cell.height + 13, cell.width),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14">
<title>${title}</title>
<rect width="100%" height="100%" rx="8" fill="${PAPER}"/>
${texts.filter((text) => text !== '').join('\n')}
</svg>
`;
}

/** Neighbouring cells of one style are one text. */
function rowOf(row, x, y, width) {
  const line = screen.buffer.active.getLine(row);
  const runs = [];
  for (let column = 0; column < columns; column += 1) {
    const cell = line.getCell(column);
    if (cell.getWidth() === 0) continue;
    const style = styleOf(cell);
    const last = runs.at(-1);
    if (last?.style === style) last.text += cell.getChars() || ' ';
    else runs.push({ style, column, text: cell.getChars() || ' ' });
  }
  return runs
    .filter(({ text }) => text.trim() !== '')
    .map(({ style, column, text }) => {
      const shown = text.trimEnd();
      const at = (x + column * width).toFixed(1);
      const length = ([...shown].length * width).toFixed(1);
      return `<text x="${at}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs" xml:space="preserve" ${style}>${escaped(shown)}</text>`;
    })
    .join('');
}

function styleOf(cell) {
  const colour = cell.getFgColor();
  const fill = cell.isFgPalette() ? (colour < 8 ? PALETTE[colour] : (BRIGHT[colour - 8] ?? TEXT)) : TEXT;
  const parts = [`fill="${fill}"`];
  if (cell.isBold()) parts.push('font-weight="bold"');
  if (cell.isDim()) parts.push('opacity="0.6"');
  if (cell.isUnderline()) parts.push('text-decoration="underline"');
  return parts.join(' ');
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
