#!/usr/bin/env node
// How fast the viewer is on a store of many calls, through a real pseudo-terminal:
//   npm run build && node test/bench/viewer.mjs [CALLS] [STORE]
// Prints JSON: first paint, time until all is read, key press to frame (median and worst), memory.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';

const here = dirname(fileURLToPath(import.meta.url));
const calls = Number(process.argv[2] ?? 100_000);
const store = process.argv[3] ?? join(mkdtempSync(join(tmpdir(), 'prefixtrace-bench-')), 'store');
if (process.argv[3] === undefined)
  execFileSync(process.execPath, [join(here, 'make-store.mjs'), String(calls), store]);

const COLUMNS = 120;
const ROWS = 40;
const { CI: _, ...environment } = process.env;
let bytes = '';
let lastFrameAt = 0;
const startedAt = performance.now();
const viewer = spawn(process.execPath, [join(here, '../../dist/cli/main.js'), 'view', store], {
  cols: COLUMNS,
  rows: ROWS,
  env: { ...environment, TERM: 'xterm-256color', TZ: 'UTC' },
});
viewer.onData((data) => {
  bytes += data;
  lastFrameAt = performance.now();
});

async function until(isThere, patienceMs = 120_000) {
  for (const endAt = performance.now() + patienceMs; !isThere(); await sleep(1)) {
    if (performance.now() > endAt) throw new Error('the viewer did not answer');
  }
  return performance.now();
}

const firstPaintMs = (await until(() => bytes.includes('prefixtrace'))) - startedAt;
const firstCallsMs = (await until(() => bytes.includes('Fix first'))) - startedAt;
const keysWhileLoading = await pressAll(
  Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 'j' : 'k')),
  60,
);
const wanted = new RegExp(`${calls.toLocaleString('en-US')} calls`);
await until(() => wanted.test(bytes));
const loadedMs = performance.now() - startedAt;
await sleep(3_000);

const figures = {
  calls,
  megabytes: Math.round(statSync(join(store, 'calls.jsonl')).size / 1e6),
  firstPaintMs: Math.round(firstPaintMs),
  firstCallsMs: Math.round(firstCallsMs),
  loadedMs: Math.round(loadedMs),
  keyWhileLoadingMs: keysWhileLoading,
  keyOnOverviewMs: await pressAll(['j', 'j', 'j', 'k', 'k', 'j', 'k', 'j', 'k', 'j']),
  openLineagesMs: await pressAll(['l']),
  keyOnLineagesMs: await pressAll(['j', 'j', 'j', 'k', 'G', 'g', 'j', 'j', 'k', 'j']),
  sortMs: await pressAll(['s', 's', 's', 's', 's', 's', 's', 'r', 'r']),
  openTimelineMs: await pressAll(['\r']),
  keyOnTimelineMs: await pressAll(['j', 'j', 'G', 'g', 'n', 'n', 'n', 'p', 'j', 'k']),
  openCallMs: await pressAll(['\r']),
  nextOfKindMs: await pressAll(['n', 'n', 'n', 'f', 'n']),
  filterMs: await filter('writer', 'claude', 'tools.reordered', 'ticket-7'),
  memoryMegabytes: memory(),
};
viewer.write('q');
console.log(JSON.stringify(figures, null, 2));
process.exit(0);

async function pressAll(keys, pauseMs = 30) {
  const times = [];
  for (const key of keys) times.push(await press(key, pauseMs));
  times.sort((a, b) => a - b);
  return { median: round(times[Math.floor(times.length / 2)]), worst: round(times.at(-1)) };
}

/** From the press to the last byte of the frame that answers it. */
async function press(key, pauseMs) {
  const from = bytes.length;
  const at = performance.now();
  viewer.write(key);
  await Promise.race([until(() => bytes.length > from), sleep(2_000)]);
  await sleep(pauseMs);
  return bytes.length > from ? lastFrameAt - at : 0;
}

async function filter(...texts) {
  const times = [];
  for (const text of texts) {
    await press('/', 30);
    for (let index = 0; index < 20; index += 1) viewer.write('\x7f');
    await sleep(60);
    await press('/', 30);
    viewer.write(text);
    await sleep(60);
    times.push(await press('\r', 400));
  }
  times.sort((a, b) => a - b);
  return { median: round(times[Math.floor(times.length / 2)]), worst: round(times.at(-1)) };
}

function memory() {
  const [, kilobytes = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${viewer.pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

function round(milliseconds) {
  return Math.round(milliseconds * 10) / 10;
}
