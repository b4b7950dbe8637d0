import { bodyOf, growTo, newConversation } from './workload.mjs';

const { readPrompt, fingerprintOf, loadHasher, createEngine, listSpan } = await import(
  '../../dist-mine/zz/zz-entry.mjs'
);
const hasher = await loadHasher();
const med = (v) => [...v].sort((a, b) => a - b)[v.length >> 1].toFixed(2);
const t = {
  stringify: [],
  parse: [],
  list: [],
  read: [],
  print: [],
  startFirst: [],
  finishFirst: [],
  startGrown: [],
  finishGrown: [],
  startRewritten: [],
  finishRewritten: [],
};
const engine = await createEngine({});
const time = (name, f) => {
  const s = performance.now();
  const r = f();
  t[name].push(performance.now() - s);
  return r;
};
const req = (body) => ({
  api: 'openai.chat',
  model: 'gpt-6-mini',
  body,
  atMs: Date.now(),
  endpoint: 'api.openai.com',
  headers: {},
  scope: { thread: null, phase: null, delegation: null },
});
const resp = (body) => {
  const n = Math.round(body.length / 4);
  return {
    ending: 'completed',
    status: 200,
    responseId: 'x' + Math.random(),
    completedAtMs: Date.now(),
    usage: {
      prompt_tokens: n,
      completion_tokens: 60,
      prompt_tokens_details: { cached_tokens: Math.floor((n - 2000) / 128) * 128 },
    },
  };
};
for (let r = 0; r < 40; r++) {
  const m = growTo(newConversation(), 300);
  const o = bodyOf(m.slice(0, 298));
  const full = bodyOf(m);
  const body = Buffer.from(time('stringify', () => JSON.stringify(o))).toString(),
    grown = Buffer.from(JSON.stringify(full)).toString();
  const changed = Buffer.from(
    JSON.stringify(bodyOf(m.with(150, { ...m[150], content: m[150].content + ' (edited)' }))),
  ).toString();
  time('parse', () => JSON.parse(body));
  time('list', () => listSpan(body, 'messages'));
  const reading = time('read', () => readPrompt(req(body)));
  time('print', () => fingerprintOf(reading.prompt, hasher));
  const s = time('startFirst', () => engine.start(req(body)));
  time('finishFirst', () => s.finish(resp(body)));
  const g = time('startGrown', () => engine.start(req(grown)));
  time('finishGrown', () => g.finish(resp(grown)));
  const c = time('startRewritten', () => engine.start(req(changed)));
  time('finishRewritten', () => c.finish(resp(changed)));
}
for (const [k, v] of Object.entries(t))
  console.log(k.padEnd(16), med(v), 'max of last 20', Math.max(...v.slice(20)).toFixed(2));
process.exit(0);
