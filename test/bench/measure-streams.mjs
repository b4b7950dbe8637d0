// One process, one subject: many streams at once, chunk by chunk in turn. What a chunk costs, with the bare client and with the
// subject's, in turn.
//   sent by main.mjs: { subject, dist, streams, chunks, turns }
import { createRequire } from 'node:module';
import { loadBareClient } from './bare-client.mjs';
import { CLIENT_PACKAGE, SUBJECTS } from './subjects.mjs';
import { bodyOf, cannedFetch, newConversation } from './workload.mjs';

const { subject: name, dist, streams, chunks, turns } = JSON.parse(process.argv[2]);
const { setUp, content } = SUBJECTS[name];
const BareOpenAI = loadBareClient();
const subject = await setUp({ dist, content });
const { OpenAI } = createRequire(import.meta.url)(CLIENT_PACKAGE);
const fetch = cannedFetch({ streamChunks: chunks, isPaced: true });
const bare = new BareOpenAI({ apiKey: 'sk-none', fetch });
const client = subject.wrap(new OpenAI({ apiKey: 'sk-none', fetch }));
const body = bodyOf(newConversation(), true);

async function read(caller) {
  let seen = 0;
  for await (const _ of await caller.chat.completions.create(body)) seen += 1;
  return seen;
}

async function microsecondsAChunk(caller) {
  globalThis.gc();
  const cpuBefore = process.cpuUsage();
  const seen = await Promise.all(Array.from({ length: streams }, () => read(caller)));
  await subject.settled();
  const { user, system } = process.cpuUsage(cpuBefore);
  return (user + system) / seen.reduce((sum, count) => sum + count, 0);
}

for (let warm = 0; warm < 20; warm += 1) for (const caller of [bare, client]) await read(caller);
await subject.settled();
const pairs = [];
for (let at = 0; at < turns; at += 1) {
  const pair = {};
  // Nobody is always the first.
  if (at % 2 === 0) pair.bare = await microsecondsAChunk(bare);
  pair.own = await microsecondsAChunk(client);
  pair.bare ??= await microsecondsAChunk(bare);
  pairs.push(pair);
}
const result = {
  pairs,
  chunks: streams * (chunks + 1),
  recorded: subject.recorded(),
  made: 20 + turns * streams,
};
await subject.close();
process.send(result, () => process.disconnect());
