// One process, one subject: many conversations at once, each of 300 messages. What stays in memory, and what a call costs beside
// the same call of the bare client, in turn.
//   sent by main.mjs: { subject, dist, lineages, calls }
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { loadBareClient } from './bare-client.mjs';
import { median } from './figures.mjs';
import { CLIENT_PACKAGE, SUBJECTS } from './subjects.mjs';
import { bodyOf, cannedFetch, growTo, newConversation } from './workload.mjs';

const { subject: name, dist, lineages, calls: mostCalls } = JSON.parse(process.argv[2]);
const { setUp, content } = SUBJECTS[name];
const BareOpenAI = loadBareClient();
const subject = await setUp({ dist, content });
const { OpenAI } = createRequire(import.meta.url)(CLIENT_PACKAGE);
const bare = new BareOpenAI({ apiKey: 'sk-none', fetch: cannedFetch() });
const client = subject.wrap(new OpenAI({ apiKey: 'sk-none', fetch: cannedFetch() }));
const withScope = name.startsWith('prefixtrace')
  ? (await import(pathToFileURL(`${dist}/index.js`).href)).withScope
  : (_scope, run) => run();

const MESSAGES = 300;
const SETS = 10;
const WARM_UPS = 2_000;
/** Few conversations would grow long. */
const calls = Math.min(mostCalls, Math.max(4 * SETS, 10 * lineages));
const shared = growTo(newConversation(), MESSAGES + 2 * Math.ceil(calls / lineages) + 2);
/** Conversations differ in their first words and in every tenth message: enough for a prompt of its own, and quick to make. */
function bodyOfLineage(lineage, turn) {
  const messages = shared.slice(0, MESSAGES + 2 * turn - 2);
  for (let at = 1; at < messages.length; at += 10)
    messages[at] = { ...messages[at], content: `${lineage} ${messages[at].content}` };
  return bodyOf(messages, false);
}
const call = (lineage, turn, caller = client) =>
  withScope({ thread: `conversation ${lineage}` }, () =>
    caller.chat.completions.create(bodyOfLineage(lineage, turn)),
  );

const turn = () => new Promise((resolve) => setImmediate(resolve));
async function heldBytes() {
  await subject.settled();
  subject.recorded();
  for (let round = 0; round < 4; round += 1) {
    await turn();
    globalThis.gc();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

for (let warm = 0; warm < 30; warm += 1) await call('warm', 1 + (warm % 3));
// Code that runs for the first time is interpreted, with the bare client too.
for (let warm = 0; warm < WARM_UPS; warm += 1) {
  const body = bodyOf(shared.slice(0, 2 + 2 * (warm % 20)), false);
  for (const caller of [bare, client])
    await withScope({ thread: 'short' }, () => caller.chat.completions.create(body));
  await turn();
  await turn();
}
await subject.settled();
if (subject.recorded() === 0) throw new Error(`${name} recorded nothing: its figures would mean nothing`);
const before = await heldBytes();
for (let lineage = 0; lineage < lineages; lineage += 1) {
  await call(lineage, 1);
  await turn();
  await turn();
  if (lineage % 100 === 99) subject.recorded();
}
const after = await heldBytes();

/** Collections come by themselves: a forced one throws compiled code away. */
async function callMs(caller, indices) {
  const cpuBefore = process.cpuUsage();
  for (const index of indices) {
    await call(index % lineages, 2 + Math.floor(index / lineages), caller);
    await turn();
    await turn();
  }
  await subject.settled();
  const { user, system } = process.cpuUsage(cpuBefore);
  return (user + system) / 1_000 / indices.length;
}

/** The speed of a machine drifts by more than is to be measured: short sets, nobody always first, the middle difference. */
const differences = [];
for (let set = 0; set < SETS; set += 1) {
  const indices = Array.from({ length: calls / SETS }, (_, at) => (set * calls) / SETS + at);
  const early = set % 2 === 0 ? await callMs(bare, indices) : undefined;
  const own = await callMs(client, indices);
  differences.push(own - (early ?? (await callMs(bare, indices))));
}
const body = bodyOfLineage('last', 1);
const stringifyMs = Array.from({ length: 9 }, () => {
  const startedAtMs = performance.now();
  JSON.stringify(body);
  return performance.now() - startedAtMs;
}).sort((a, b) => a - b)[4];
await subject.close();
process.send({
  lineages,
  bytes: after - before,
  cpuMs: median(differences),
  stringifyMs,
});
process.disconnect();
