// One process, one subject: many streams at once, chunk by chunk in turn. What a chunk costs.
//   sent by main.mjs: { subject, dist, streams, chunks }
import { createRequire } from 'node:module';
import { CLIENT_PACKAGE, SUBJECTS } from './subjects.mjs';
import { bodyOf, cannedFetch, newConversation } from './workload.mjs';

const { subject: name, dist, streams, chunks } = JSON.parse(process.argv[2]);
const { setUp, content } = SUBJECTS[name];
const { OpenAI } = createRequire(import.meta.url)(CLIENT_PACKAGE);
const subject = await setUp({ dist, content });
const fetch = cannedFetch({ streamChunks: chunks, isPaced: true });
const client = subject.wrap(new OpenAI({ apiKey: 'sk-none', fetch }));
const body = bodyOf(newConversation(), true);

async function read() {
  let seen = 0;
  for await (const _ of await client.chat.completions.create(body)) seen += 1;
  return seen;
}

for (let warm = 0; warm < 5; warm += 1) await read();
await subject.settled();
subject.recorded();
globalThis.gc();
const cpuBefore = process.cpuUsage();
const startedAtMs = performance.now();
const seen = await Promise.all(Array.from({ length: streams }, read));
await subject.settled();
const { user, system } = process.cpuUsage(cpuBefore);
const total = seen.reduce((sum, count) => sum + count, 0);
const result = {
  chunks: total,
  cpuMicroseconds: (user + system) / total,
  wallMs: performance.now() - startedAtMs,
  recorded: subject.recorded(),
  made: 5 + streams,
};
await subject.close();
process.send(result);
process.disconnect();
