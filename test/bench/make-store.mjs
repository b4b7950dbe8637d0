#!/usr/bin/env node
// Makes a store of realistic calls for measurements: agents that grow turn by turn, with divergences, lapses and compactions.
//   node test/bench/make-store.mjs 100000 FOLDER
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';

const [, , countText = '100000', folder = 'store'] = process.argv;
const count = Number(countText);
const START_MS = Date.UTC(2026, 10, 30, 8);
const PHASES = ['planner', 'researcher', 'writer', 'reviewer', 'summariser'];
const MODELS = ['claude-sonnet-5', 'claude-opus-5', 'gpt-6', 'gpt-6-mini'];
const KINDS = [
  [
    'system',
    'system.timestamp',
    'system[0].text',
    'Take the clock out of the system prompt: say the time in the newest user message.',
  ],
  [
    'tools',
    'tools.reordered',
    'tools[1].name',
    'Send tools sorted by name, or in the order in which they were first seen.',
  ],
  [
    'messages',
    'messages.tool_result_cleared',
    'messages[7].content[0].content',
    'Keep old tool results until a compaction, and clear many at once.',
  ],
  [
    'parameters',
    'parameters.thinking',
    'thinking.budget_tokens',
    'Keep the thinking budget for the whole conversation.',
  ],
];
const SPANS_A_LINE = 16;

let seed = 42;
/** The same store each time: a small generator of our own instead of Math.random. */
function random() {
  seed = (seed * 1_664_525 + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
}
const hex = (digits) => Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('');
const attribute = (key, value) => ({
  key,
  value:
    typeof value === 'string'
      ? { stringValue: value }
      : typeof value === 'boolean'
        ? { boolValue: value }
        : Number.isInteger(value)
          ? { intValue: value }
          : { doubleValue: value },
});
const attributes = (values) => Object.entries(values).map(([key, value]) => attribute(key, value));
const nanoseconds = (ms) => `${Math.round(ms)}000000`;

mkdirSync(folder, { recursive: true, mode: 0o700 });
const file = createWriteStream(join(folder, 'calls.jsonl'), { mode: 0o600 });
const conversations = [];
let waiting = [];

function conversation() {
  if (conversations.length < 40 || random() < 0.004) {
    const lineage = conversations.length + 1;
    conversations.push({
      lineage: `l${lineage}`,
      thread: `ticket-${Math.ceil(lineage / 3)}`,
      phase: PHASES[lineage % PHASES.length],
      model: MODELS[Math.floor(random() * MODELS.length)],
      head: 4_000 + Math.floor(random() * 9_000),
      messages: 0,
      turn: 0,
      last: null,
      habit: random() < 0.3 ? KINDS[Math.floor(random() * KINDS.length)] : null,
    });
  }
  const recent = conversations.slice(-40);
  return recent[Math.floor(random() * recent.length)];
}

for (let call = 0; call < count; call += 1) {
  const of = conversation();
  const traceId = hex(32);
  const spanId = hex(16);
  const startMs = START_MS + call * 400 + random() * 300;
  const isCompacted = of.turn > 0 && of.head + of.messages > 150_000;
  const before = of.turn === 0 ? 0 : of.head + of.messages;
  if (isCompacted) of.messages = 6_000;
  of.messages += 300 + Math.floor(random() * 2_000);
  of.turn += 1;
  const input = of.head + of.messages;
  const kind = of.turn > 1 && !isCompacted && of.habit !== null && random() < 0.4 ? of.habit : null;
  const isLapsed = of.turn > 1 && kind === null && !isCompacted && random() < 0.02;
  const shared = of.turn === 1 ? 0 : isCompacted || kind ? Math.floor(of.head * 0.6) : before;
  const read = of.turn === 1 || isLapsed ? 0 : shared;
  const rebilled = of.turn === 1 || read === before ? 0 : before - read;
  const finding = kind !== null || isLapsed;
  const usd = (read * 0.3 + (input - read) * 3.75) / 1e6;
  const tokens = {
    'prompt_cache.tokens.input': input,
    'prompt_cache.tokens.read': read,
    'prompt_cache.tokens.written': input - read,
    'prompt_cache.tokens.uncached': 0,
    'prompt_cache.tokens.expected_read': before,
    'prompt_cache.tokens.shared': shared,
    'prompt_cache.tokens.behind': rebilled,
    'prompt_cache.tokens.rebilled': rebilled,
    'prompt_cache.tokens.method': 'usage',
    'prompt_cache.cost.usd': usd,
    'prompt_cache.cost.rebilled_usd': (rebilled * 3.45) / 1e6,
    'prompt_cache.price.model': of.model,
    'prompt_cache.price.date': '2026-09-28',
  };
  const ends = { startTimeUnixNano: nanoseconds(startMs), endTimeUnixNano: nanoseconds(startMs) };
  const links = of.last ? [{ ...of.last, attributes: [] }] : [];
  if (kind)
    waiting.push({
      traceId,
      spanId: hex(16),
      parentSpanId: spanId,
      name: 'prompt_cache.divergence',
      kind: 1,
      ...ends,
      attributes: attributes({
        'prompt_cache.divergence.component': kind[0],
        'prompt_cache.divergence.kind': kind[1],
        'prompt_cache.divergence.path': kind[2],
        'prompt_cache.divergence.leaf': kind[2],
        'prompt_cache.divergence.byte_offset': 22,
        'prompt_cache.divergence.label': kind[0],
        'prompt_cache.divergence.advice': kind[3],
        ...tokens,
      }),
      links,
      status: { code: 0 },
    });
  if (isLapsed)
    waiting.push({
      traceId,
      spanId: hex(16),
      parentSpanId: spanId,
      name: 'prompt_cache.miss',
      kind: 1,
      ...ends,
      attributes: attributes({ 'prompt_cache.miss': 'ttl_expired' }),
      links,
      status: { code: 0 },
    });
  waiting.push({
    traceId,
    spanId,
    name: `chat ${of.model}`,
    kind: 3,
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(startMs + 2_000 + random() * 6_000),
    attributes: attributes({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.request.model': of.model,
      'gen_ai.response.model': of.model,
      'gen_ai.conversation.id': of.thread,
      'gen_ai.usage.input_tokens': input,
      'gen_ai.usage.output_tokens': 120,
      'prompt_cache.thread': of.thread,
      'prompt_cache.phase': of.phase,
      'prompt_cache.lineage': of.lineage,
      'prompt_cache.turn': of.turn,
      'prompt_cache.finding': finding,
      'prompt_cache.prefix.id': hex(32),
      'prompt_cache.layout':
        rebilled > 0
          ? `t12:${Math.floor(of.head * 0.6)}+ s2:${Math.floor(of.head * 0.4)}- m${of.turn * 2}:${of.messages}-`
          : `t12:${Math.floor(of.head * 0.6)}+ s2:${Math.floor(of.head * 0.4)}+ m${of.turn * 2}:${of.messages}+`,
      'prompt_cache.outcome': read === 0 ? 'miss' : rebilled > 0 ? 'partial' : 'hit',
      'prompt_cache.certainty': 'observed',
      ...(isLapsed ? { 'prompt_cache.miss': 'ttl_expired' } : {}),
      ...(isCompacted ? { 'prompt_cache.expected': 'compaction' } : {}),
      ...tokens,
    }),
    links: [],
    status: { code: 0 },
  });
  of.last = { traceId, spanId };
  if (waiting.length >= SPANS_A_LINE) await flush();
}
await flush();
file.end();

async function flush() {
  if (waiting.length === 0) return;
  const line = JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributes({ 'service.name': 'bench', 'service.instance.id': 'one' }) },
        scopeSpans: [{ scope: { name: 'prefixtrace', version: '0.1.0' }, spans: waiting }],
      },
    ],
  });
  waiting = [];
  if (!file.write(`${line}\n`)) await new Promise((resolve) => file.once('drain', resolve));
}
