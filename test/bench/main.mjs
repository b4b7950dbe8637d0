#!/usr/bin/env node
// What it costs to leave prefixtrace on, beside its peers in the same run. One process a subject, in alternating rounds; each
// figure is what a subject adds to the bare client, which runs in turn with it in the same process.
//   npm run bench                                  all of it, under an hour on two quiet cores
//   npm run bench -- --quick                       a minute or two, rough
//   npm run bench -- --subjects contrib,langfuse   some of them
//   npm run bench -- --parts growth,startup        growth, lineages, streams, startup
import { fork } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { summarise } from './figures.mjs';
import { measureStartup } from './measure-startup.mjs';
import { CLIENT_PACKAGE, SUBJECTS, versionOf } from './subjects.mjs';
import { tables } from './tables.mjs';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    dist: { type: 'string', default: 'dist' },
    out: { type: 'string', default: 'test/bench/results/latest.json' },
    rounds: { type: 'string' },
    subjects: { type: 'string' },
    parts: { type: 'string', default: 'growth,lineages,streams,startup' },
  },
});

const FULL = {
  rounds: 3,
  growth: [
    {
      isStreamed: false,
      length: 1_000,
      conversations: 2,
      warmUps: 200,
      firstSights: 5,
      rewrites: 5,
    },
    {
      isStreamed: true,
      length: 300,
      conversations: 2,
      warmUps: 100,
      firstSights: 0,
      rewrites: 0,
    },
  ],
  lineages: [1, 10, 100, 1_000, 10_000],
  peerLineages: [1, 10, 100, 1_000],
  lineageCalls: 200,
  streams: { streams: 500, chunks: 1_000, turns: 2 },
  starts: 20,
};
const QUICK = {
  rounds: 1,
  growth: [
    {
      isStreamed: false,
      length: 300,
      conversations: 1,
      warmUps: 10,
      firstSights: 2,
      rewrites: 2,
    },
  ],
  lineages: [100],
  peerLineages: [],
  lineageCalls: 20,
  streams: { streams: 50, chunks: 200, turns: 2 },
  starts: 5,
};

const here = dirname(fileURLToPath(import.meta.url));
const plan = values.quick ? QUICK : FULL;
const rounds = Number(values.rounds ?? plan.rounds);
const parts = new Set(values.parts.split(','));
const subjects = values.subjects?.split(',') ?? Object.keys(SUBJECTS);
const dist = resolve(values.dist);
/** Those that stand beside a bare client. */
const compared = subjects.filter((name) => name !== 'bare');
/** Those whose memory and streams are measured; content makes no difference there. */
const once = subjects.filter((name) => !name.endsWith('-content'));

function run(file, options) {
  return new Promise((fulfil, reject) => {
    const child = fork(resolve(here, file), [JSON.stringify({ dist, ...options })], {
      execArgv: ['--expose-gc', '--max-old-space-size=4096'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    let answer;
    child.on('message', (message) => {
      answer = message;
    });
    child.on('close', (code) => {
      if (answer !== undefined && code === 0) fulfil(answer);
      else reject(new Error(`${file} ${JSON.stringify(options)} ended with exit code ${code}`));
    });
  });
}

/** A subject that leaves out calls would look fast. */
function checkRecorded(name, { made, recorded }) {
  if (recorded === null || recorded === made) return;
  throw new Error(`${name} recorded ${recorded} of ${made} calls: its figures would mean nothing`);
}

const say = (text) => process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
const loads = [];
const raw = { growth: [], lineages: [], streams: [] };

for (let round = 0; round < rounds; round += 1) {
  // Nobody is always the first or the last of a round.
  const turned = compared.map((_, index) => compared[(index + round) % compared.length]);
  for (const subject of turned) {
    loads.push(loadavg()[0]);
    say(`round ${round + 1} of ${rounds}: ${SUBJECTS[subject].label}`);
    for (const options of parts.has('growth') ? plan.growth : []) {
      const result = await run('measure-growth.mjs', { subject, ...options });
      checkRecorded(subject, result);
      raw.growth.push({ round, subject, isStreamed: options.isStreamed, ...result });
    }
    if (parts.has('streams') && once.includes(subject)) {
      const result = await run('measure-streams.mjs', { subject, ...plan.streams });
      checkRecorded(subject, result);
      raw.streams.push({ round, subject, ...result });
    }
  }
}

for (const subject of parts.has('lineages') ? once.filter((name) => name !== 'bare') : []) {
  for (const lineages of subject === 'prefixtrace-memory' ? plan.lineages : plan.peerLineages) {
    say(`${lineages} lineages: ${SUBJECTS[subject].label}`);
    const result = await run('measure-lineages.mjs', { subject, lineages, calls: plan.lineageCalls });
    raw.lineages.push({ subject, ...result });
  }
}

const startup = parts.has('startup') ? await measureStartup({ dist, starts: plan.starts, say }) : undefined;

const [cpu] = cpus();
const result = {
  at: new Date().toISOString(),
  isQuick: values.quick,
  rounds,
  machine: {
    cpu: cpu?.model ?? 'unknown',
    cores: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()}`,
    node: process.version,
    load: { lowest: Math.min(...loads), highest: Math.max(...loads) },
  },
  versions: Object.fromEntries(
    [CLIENT_PACKAGE, ...Object.values(SUBJECTS).flatMap(({ package: name }) => name ?? [])].map((name) => [
      name,
      versionOf(name),
    ]),
  ),
  ...summarise(raw),
  startup,
};

const out = resolve(values.out);
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, `${JSON.stringify(result, null, 1)}\n`);
console.log(tables(result));
console.log(`\nwritten: ${values.out}`);
