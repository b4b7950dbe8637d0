// One process, one subject: a conversation that grows by one exchange a call, and first sights of long ones. Each set of calls is
// made twice, by the bare client and by the subject's, since the speed of a machine drifts by more than is to be measured.
//   sent by main.mjs: { subject, dist, isStreamed, length, conversations, warmUps, firstSights, rewrites }
import { createRequire } from 'node:module';
import { loadBareClient } from './bare-client.mjs';
import { median } from './figures.mjs';
import { CLIENT_PACKAGE, SUBJECTS } from './subjects.mjs';
import { bodyOf, cannedFetch, growTo, newConversation } from './workload.mjs';

const options = JSON.parse(process.argv[2]);
const { subject: name, dist, isStreamed, length, conversations, warmUps, firstSights, rewrites } = options;
const { setUp, content } = SUBJECTS[name];
const BareOpenAI = loadBareClient();
const subject = await setUp({ dist, content });
const { OpenAI } = createRequire(import.meta.url)(CLIENT_PACKAGE);
let dispatchedAtMs = 0;
let answersAfterMs = 0;
const fetch = cannedFetch({
  answersAfterMs: () => answersAfterMs,
  onDispatch: () => {
    dispatchedAtMs = performance.now();
  },
});
const bare = new BareOpenAI({ apiKey: 'sk-none', fetch });
const client = subject.wrap(new OpenAI({ apiKey: 'sk-none', fetch }));
/** Ours stands at the transport, so what it adds there can be measured by itself. */
let transportAtMs = 0;
if (name.startsWith('prefixtrace')) {
  const { fetch: recording } = client;
  client.fetch = (...fetchArguments) => {
    transportAtMs = performance.now();
    return recording(...fetchArguments);
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Gaps between turns of the event loop, apart for the one in which the request is made (the client writes its JSON in it) and
 * those behind it. Ticks only while it runs, since a ticking loop keeps a processor busy.
 */
function watchLoop() {
  let firstMs;
  let laterMs = 0;
  let isRunning = true;
  let lastAtMs = performance.now();
  const tick = () => {
    const atMs = performance.now();
    if (firstMs === undefined && dispatchedAtMs >= lastAtMs) firstMs = atMs - lastAtMs;
    else laterMs = Math.max(laterMs, atMs - lastAtMs);
    lastAtMs = atMs;
    if (isRunning) setImmediate(tick);
  };
  setImmediate(tick);
  return () => {
    isRunning = false;
    return { firstMs: firstMs ?? 0, laterMs };
  };
}

async function call(body, caller = client) {
  const pauses = watchLoop();
  const startedAtMs = performance.now();
  const reply = await caller.chat.completions.create(body);
  if (isStreamed) for await (const _ of reply);
  const endedAtMs = performance.now();
  // What was put off until after the call belongs to it as well.
  for (let turns = 0; turns < 4; turns += 1) await turn();
  return {
    wallMs: endedAtMs - startedAtMs,
    dispatchMs: dispatchedAtMs - startedAtMs,
    transportMs: transportAtMs === 0 || caller === bare ? null : dispatchedAtMs - transportAtMs,
    pauses: pauses(),
  };
}

function stringifyMs(body) {
  const times = Array.from({ length: 9 }, () => {
    const startedAtMs = performance.now();
    JSON.stringify(body);
    return performance.now() - startedAtMs;
  });
  return median(times);
}

/**
 * Collections come by themselves while a conversation grows: a forced one throws compiled code away, and whoever forces one
 * before each set measures code that is interpreted (it doubled the figures of all subjects, the bare client's too).
 */
async function callsOf(caller, bodies) {
  const calls = [];
  const cpuBefore = process.cpuUsage();
  for (const body of bodies) calls.push(await call(body, caller));
  await subject.settled();
  const { user, system } = process.cpuUsage(cpuBefore);
  return { calls, cpuMs: (user + system) / 1_000 / bodies.length };
}

let sets = 0;
async function measured(bodies) {
  sets += 1;
  const last = bodies.at(-1);
  const set = {
    messages: last.messages.length,
    bytes: Buffer.byteLength(JSON.stringify(last)),
    // Of the middle one, as the figures are the mean of all.
    stringifyMs: stringifyMs(bodies[bodies.length >> 1]),
  };
  // Nobody is always the first.
  if (sets % 2 === 0) set.bare = await callsOf(bare, bodies);
  set.own = await callsOf(client, bodies);
  set.bare ??= await callsOf(bare, bodies);
  return set;
}

let made = 0;
const growth = (messages, from, to) => {
  const bodies = [];
  for (let count = from; count <= to; count += 2) bodies.push(bodyOf(messages.slice(0, count), isStreamed));
  made += bodies.length;
  return bodies;
};

// Code that runs for the first time is interpreted: what is measured is an application that has been up for a while.
for (let round = 0; round < warmUps; round += 1)
  for (const body of growth(growTo(newConversation(), 40), 2, 40)) {
    await call(body, bare);
    await call(body);
  }
await subject.settled();
subject.recorded();

/** Fifty calls: in a shorter bin one collection outweighs all else. */
const BIN_MESSAGES = 100;
/** All conversations go through the same bins. */
const bins = [];
for (let conversation = 0; conversation < conversations; conversation += 1) {
  const sets = [];
  // Short calls are over so soon that ten of them tell nothing.
  sets.push(
    await measured(Array.from({ length: 10 }, () => growth(growTo(newConversation(), 20), 2, 20)).flat()),
  );
  const messages = growTo(newConversation(), length);
  for (const body of growth(messages, 2, 20)) await call(body);
  await subject.settled();
  for (let to = BIN_MESSAGES; to <= length; to += BIN_MESSAGES)
    sets.push(await measured(growth(messages, Math.max(22, to - BIN_MESSAGES + 2), to)));
  sets.forEach((set, at) => {
    bins[at] = [...(bins[at] ?? []), set];
  });
}

// Long work is spread over the time in which a model thinks: no model answers at once, as the transport did above.
answersAfterMs = 50;
const sights = [];
for (let sight = 0; sight < firstSights; sight += 1) {
  const body = bodyOf(growTo(newConversation(), 300), isStreamed);
  made += 1;
  globalThis.gc();
  sights.push(await measured([body]));
}

/** A message in the middle of a long history is changed: the dearest thing that there is to explain. */
const rewritten = [];
for (let rewrite = 0; rewrite < rewrites; rewrite += 1) {
  const history = growTo(newConversation(), 300);
  const changed = history.with(150, { ...history[150], content: `${history[150].content} (edited)` });
  made += 2;
  await call(bodyOf(history.slice(0, 298), isStreamed));
  await subject.settled();
  globalThis.gc();
  rewritten.push(await measured([bodyOf(changed, isStreamed)]));
}

await subject.settled();
const recorded = subject.recorded();
await subject.close();
process.send({ bins, sights, rewrites: rewritten, made, recorded }, () => process.disconnect());
