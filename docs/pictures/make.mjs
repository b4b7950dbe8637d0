#!/usr/bin/env node
// Makes the pictures of the README from the demo, through a real terminal (tmux has to be installed):
//   npm run build && node docs/pictures/make.mjs
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const main = join(here, '../../dist/cli/main.js');
const columns = 80;
const rows = 24;
const session = `pictures-${process.pid}`;
const TITLES = {
  overview: 'The overview: what to fix first, hit rate, findings by cost',
  divergence: 'One call: where it diverged, why, what it cost, what to do',
  timeline: 'A lineage, call by call',
};
const COLOURS = ['#20242e', '#f07178', '#a5d6a7', '#ffcb6b', '#82aaff', '#c792ea', '#7fdbca', '#d6deeb'];
const BRIGHT = ['#5c6773', '#ff8b92', '#c3e88d', '#ffd98c', '#a0c0ff', '#ddb0ff', '#a0f0e0', '#ffffff'];
const tmux = (...args) => execFileSync('tmux', ['-L', session, ...args], { encoding: 'utf8' });
const pause = (milliseconds) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

const store = mkdtempSync(join(tmpdir(), 'prefixtrace-pictures-'));
const demo = execFileSync(process.execPath, [main, 'demo'], {
  encoding: 'utf8',
  env: { ...process.env, TMPDIR: store, TZ: 'UTC' },
});
const recorded = /^Recorded in (.+)$/m.exec(demo)?.[1];
if (!recorded) throw new Error('the demo did not say where it recorded');

try {
  tmux(
    'new-session',
    '-d',
    '-x',
    String(columns),
    '-y',
    String(rows),
    `cd ${store} && TZ=UTC ${process.execPath} ${main} view ${recorded}`,
  );
  waitFor('Fix first');
  picture('overview');
  tmux('send-keys', 'Enter');
  waitFor('billed again');
  picture('divergence');
  tmux('send-keys', 't');
  waitFor('break');
  picture('timeline');
} finally {
  tmux('kill-server');
}

function waitFor(text) {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    pause(100);
    if (tmux('capture-pane', '-p').includes(text)) return pause(200);
  }
  throw new Error(`the screen never said ${JSON.stringify(text)}`);
}

function picture(name) {
  const lines = tmux('capture-pane', '-p', '-e')
    .replaceAll(recorded, '.prefixtrace')
    .replace(/\/tmp\/\S*…/, '.prefixtrace  ')
    .split('\n')
    .slice(0, rows);
  writeFileSync(join(here, `${name}.svg`), svgOf(lines, TITLES[name]));
}

/** One text element a line; a fixed cell width keeps boxes and bars in their columns whatever font is there. */
function svgOf(lines, title) {
  const cell = { width: 8.4, height: 18 };
  const width = columns * cell.width + 24;
  const height = lines.length * cell.height + 24;
  const texts = lines.map((line, row) => lineOf(line, 12, 12 + row * cell.height + 13, cell.width));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14">
<title>${title}</title>
<rect width="100%" height="100%" rx="8" fill="#12151c"/>
${texts.join('\n')}
</svg>
`;
}

function lineOf(line, x, y, width) {
  let style = { fill: '#c8d0dc', weight: 'normal', opacity: 1, inverse: false };
  let column = 0;
  const spans = [];
  for (const part of line.split(/(\u001b\[[0-9;]*m)/)) {
    const codes = /^\u001b\[([0-9;]*)m$/.exec(part);
    if (codes) style = styled(style, codes[1]);
    else if (part !== '') {
      const cells = [...part];
      const at = x + column * width;
      if (style.inverse)
        spans.push(
          `<rect x="${at.toFixed(1)}" y="${y - 14}" width="${(cells.length * width).toFixed(1)}" height="18" fill="#2b3242"/>`,
        );
      if (part.trim() !== '')
        spans.push(
          `<text x="${at.toFixed(1)}" y="${y}" textLength="${(cells.length * width).toFixed(1)}" lengthAdjust="spacingAndGlyphs" xml:space="preserve" fill="${style.fill}" font-weight="${style.weight}" opacity="${style.opacity}">${escaped(part)}</text>`,
        );
      column += cells.length;
    }
  }
  return spans.join('');
}

function styled(style, codes) {
  let next = { ...style };
  const list = codes === '' ? [0] : codes.split(';').map(Number);
  for (let index = 0; index < list.length; index += 1) {
    const code = list[index];
    if (code === 0) next = { fill: '#c8d0dc', weight: 'normal', opacity: 1, inverse: false };
    else if (code === 1) next.weight = 'bold';
    else if (code === 2) next.opacity = 0.6;
    else if (code === 7) next.inverse = true;
    else if (code === 22) Object.assign(next, { weight: 'normal', opacity: 1 });
    else if (code === 27) next.inverse = false;
    else if (code >= 30 && code <= 37) next.fill = COLOURS[code - 30];
    else if (code >= 90 && code <= 97) next.fill = BRIGHT[code - 90];
    else if (code === 39) next.fill = '#c8d0dc';
    else if (code === 38) index += list[index + 1] === 2 ? 4 : 2;
  }
  return next;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
