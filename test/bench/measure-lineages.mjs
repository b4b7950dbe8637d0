// One process, one subject: many conversations at once, each of 300 messages. What a call costs and what stays in memory.
//   sent by main.mjs: { subject, dist, lineages, calls }
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { CLIENT_PACKAGE, SUBJECTS } from './subjects.mjs';
import { bodyOf, cannedFetch, growTo, newConversation } from './workload.mjs';

const { subject: name, dist, lineages, calls } = JSON.parse(process.argv[2]);
const { setUp, content } = SUBJECTS[name];
const { OpenAI } = createRequire(import.meta.url)(CLIENT_PACKAGE);
const subject = await setUp({ dist, content });
const client = subject.wrap(new OpenAI({ apiKey: 'sk-none', fetch: cannedFetch() }));
const withScope = name.startsWith('prefixtrace')
  ? (await import(pathToFileURL(`${dist}/index.js`).href)).withScope
  : (_scope, run) => run();

const MESSAGES = 300;
const shared = growTo(newConversation(), MESSAGES + 20);
/** Conversations differ in their first words and in every tenth message: enough for a prompt of its own, and quick to make. */
function bodyOfLineage(lineage, turn) {
  const messages = shared.slice(0, MESSAGES + 2 * turn - 2);
  for (let at = 1; at < messages.length; at += 10)
    messages[at] = { ...messages[at], content: `${lineage} ${messages[at].content}` };
  return bodyOf(messages, false);
}
const call = (lineage, turn) =>
  withScope({ thread: `conversation ${lineage}` }, () =>
    client.chat.completions.create(bodyOfLineage(lineage, turn)),
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
const before = await heldBytes();
for (let lineage = 0; lineage < lineages; lineage += 1) {
  await call(lineage, 1);
  await turn();
  await turn();
  if (lineage % 100 === 99) subject.recorded();
}
const after = await heldBytes();

const cpuBefore = process.cpuUsage();
for (let index = 0; index < calls; index += 1) {
  await call(index % lineages, 2 + Math.floor(index / lineages));
  await turn();
  await turn();
}
await subject.settled();
const { user, system } = process.cpuUsage(cpuBefore);
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
  cpuMs: (user + system) / 1_000 / calls,
  stringifyMs,
});
process.disconnect();
