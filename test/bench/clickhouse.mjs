#!/usr/bin/env node
// Millions of call and divergence spans in the exporter's table, and how long the viewer's questions take, without the view and
// with it. The spans are made inside the engine by SQL, the same ones each time.
//   npx tsdown test/clickhouse/support/bench-entry.ts --no-config --format esm --platform node --out-dir dist-clickhouse/bench
//   node test/bench/clickhouse.mjs 5000000 [FOLDER]
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const built = join(import.meta.dirname, '../../dist-clickhouse/bench');
const entry = readdirSync(built).find((name) => /^bench-entry\.m?js$/.test(name));
const { createAsker, clickhouseSummary, hoursDefinition, QUERY_SETTINGS, TRACES_TABLE, viewDefinition } =
  await import(pathToFileURL(join(built, entry)));

const [, , spanText = '5000000', given] = process.argv;
const CALLS = Math.floor(Number(spanText) / 1.132);
const CALLS_AN_INSERT = 250_000;
const DAYS = 7;
const START_MS = Date.UTC(2026, 10, 23);
const END_MS = START_MS + DAYS * 86_400_000;
const folder = given ?? mkdtempSync(join(tmpdir(), 'prefixtrace-clickhouse-bench-'));
const { Session } = createRequire(import.meta.url)('chdb');
const session = new Session(folder);
// What one round found would be known to the next.
session.query('SET use_query_condition_cache = 0');

// A hundred conversations at a time, forty calls each; one call of two thousand belongs to a conversation that goes on all week.
const CALL = `
  number AS i,
  i % 2000 = 7 AS isLong,
  if(isLong, 0, 1 + intDiv(i, 4000) * 100 + i % 100) AS conversation,
  if(isLong, 1 + intDiv(i, 2000), 1 + intDiv(i % 4000, 100)) AS turn,
  if(isLong, i - 2000, i - 100) AS before,
  cityHash64(i) AS chance,
  conversation % 12 AS instance,
  cityHash64(conversation) % 10 < 3 AS isFaulty,
  turn > 1 AND isFaulty AND chance % 10 < 3 AS isDiverged,
  turn > 1 AND NOT isDiverged AND chance % 50 = 1 AS isLapsed,
  4000 + cityHash64(conversation) % 9000 AS head,
  head + least(turn, 120) * 1300 AS input,
  if(turn = 1 OR isLapsed, 0, if(isDiverged, intDiv(head * 6, 10), input - 1300)) AS held,
  if(isDiverged OR isLapsed, greatest(0, input - 1300 - held), 0) AS rebilled,
  ['claude-sonnet-5', 'claude-opus-5', 'gpt-6', 'gpt-6-mini'][1 + conversation % 4] AS model,
  ['planner', 'researcher', 'writer', 'reviewer', 'summariser'][1 + conversation % 5] AS phase,
  ['system.timestamp', 'tools.reordered', 'messages.tool_result_cleared', 'parameters.reasoning'][1 + cityHash64(conversation, 1) % 4] AS kind,
  ['system[0].text', 'tools[1].name', concat('messages[', toString(turn), '].content[0].content'), 'thinking'][1 + cityHash64(conversation, 1) % 4] AS path,
  fromUnixTimestamp64Nano(toInt64(${START_MS} * 1000000 + i * ${(END_MS - START_MS) / CALLS} * 1000000)) AS at`;

const idsOf = (number) => [`lower(hex(MD5(toString(${number}))))`, `lower(hex(sipHash64(${number})))`];
const [trace, span] = idsOf('i');
const [traceBefore, spanBefore] = idsOf('before');
const TOKENS = `
  'prompt_cache.tokens.input', toString(input), 'prompt_cache.tokens.read', toString(held),
  'prompt_cache.tokens.written', toString(input - held), 'prompt_cache.tokens.uncached', '0',
  'prompt_cache.tokens.expected_read', toString(input - 1300), 'prompt_cache.tokens.shared', toString(held),
  'prompt_cache.tokens.behind', toString(rebilled), 'prompt_cache.tokens.rebilled', toString(rebilled),
  'prompt_cache.tokens.method', 'usage', 'prompt_cache.cost.usd', toString((held * 0.3 + (input - held) * 3.75) / 1e6),
  'prompt_cache.cost.rebilled_usd', toString(rebilled * 3.45 / 1e6), 'prompt_cache.price.model', model,
  'prompt_cache.price.date', '2026-09-28'`;
const RESOURCE = `map('service.name', 'agents', 'service.instance.id', concat('agents-', toString(instance)), 'telemetry.sdk.language', 'nodejs')`;
const ROW =
  'Timestamp, TraceId, SpanId, ParentSpanId, SpanName, SpanKind, ServiceName, ResourceAttributes, ScopeName, SpanAttributes, Duration, StatusCode, Links.TraceId, Links.SpanId, Links.TraceState, Links.Attributes';
const NO_LINKS = '[], [], [], []';
const LINKS = `[${traceBefore}], [${spanBefore}], [''], [map()]`;

const callRows = `SELECT at, ${trace}, ${span}, '', concat('chat ', model), 'Client', 'agents', ${RESOURCE}, 'prefixtrace',
mapConcat(map('gen_ai.operation.name', 'chat', 'gen_ai.provider.name', 'anthropic', 'gen_ai.request.model', model,
  'gen_ai.response.model', model, 'gen_ai.usage.input_tokens', toString(input), 'gen_ai.usage.output_tokens', '120',
  'prompt_cache.thread', concat('ticket-', toString(intDiv(conversation, 3))), 'prompt_cache.phase', phase,
  'prompt_cache.lineage', concat('l', toString(conversation)), 'prompt_cache.turn', toString(turn),
  'prompt_cache.finding', if(isDiverged OR isLapsed, 'true', 'false'), 'prompt_cache.prefix.id', lower(hex(cityHash64(i, 2))),
  'prompt_cache.outcome', multiIf(held = 0, 'miss', rebilled > 0, 'partial', 'hit'), 'prompt_cache.certainty', 'observed',
  'prompt_cache.lifetime_s', '300',
  'prompt_cache.layout', concat('t12:', toString(intDiv(head * 6, 10)), '+ s2:', toString(intDiv(head * 4, 10)), '+ m', toString(turn * 2), ':', toString(turn * 1300), '+'),
  ${TOKENS}), if(isLapsed, map('prompt_cache.miss', 'ttl_expired'), map())),
2000000000 + chance % 6000000000, 'Unset', ${NO_LINKS}`;

const childRows = `SELECT at, ${trace}, lower(hex(sipHash64(i, 1))), ${span}, if(isDiverged, 'prompt_cache.divergence', 'prompt_cache.miss'), 'Internal', 'agents', ${RESOURCE}, 'prefixtrace',
if(isDiverged, map('prompt_cache.divergence.component', splitByChar('.', kind)[1], 'prompt_cache.divergence.kind', kind,
  'prompt_cache.divergence.path', path, 'prompt_cache.divergence.leaf', path, 'prompt_cache.divergence.byte_offset', '22',
  'prompt_cache.divergence.label', 'block 1', 'prompt_cache.divergence.advice', 'Keep it as it was in the call before, or move what changes into the newest user message.',
  ${TOKENS}), map('prompt_cache.miss', 'ttl_expired')),
0, 'Unset', ${LINKS}`;

const INDEXES = `
  INDEX idx_trace_id TraceId TYPE bloom_filter(0.001) GRANULARITY 1,
  INDEX idx_res_attr_key mapKeys(ResourceAttributes) TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX idx_res_attr_value mapValues(ResourceAttributes) TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX idx_span_attr_key mapKeys(SpanAttributes) TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX idx_span_attr_value mapValues(SpanAttributes) TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX idx_duration Duration TYPE minmax GRANULARITY 1`;

try {
  console.log(
    `load before: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(' ')}; ${session.query('SELECT version()', 'TSV').trim()}`,
  );
  const has = (name) => rowsOf(`SELECT 1 FROM system.tables WHERE database = 'otel' AND name = '${name}'`)[0];
  if (!has('otel_traces')) await makeSpans();
  if (!has('otel_calls')) await makeView();
  console.log(
    rowsOf(`SELECT table, formatReadableSize(sum(bytes_on_disk)) AS disk, sum(rows) AS rows
FROM system.parts WHERE active AND database = 'otel' GROUP BY table`),
  );
  await measure('otel_calls', 5);
  if (!process.env.VIEW_ALONE) await measure(null, 1);
  console.log(
    `load after: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(' ')}`,
  );
} finally {
  session.close?.();
  if (given === undefined) rmSync(folder, { recursive: true, force: true });
}

async function makeSpans() {
  session.query('CREATE DATABASE otel');
  session.query(TRACES_TABLE('otel.otel_traces').replace('\n) ENGINE', `,${INDEXES}\n) ENGINE`));
  await timed('spans made', async () => {
    for (let from = 0; from < CALLS; from += CALLS_AN_INSERT) {
      const numbers = `FROM (SELECT ${CALL} FROM numbers(${from}, ${Math.min(CALLS_AN_INSERT, CALLS - from)}))`;
      session.query(`INSERT INTO otel.otel_traces (${ROW}) ${callRows} ${numbers}`);
      session.query(
        `INSERT INTO otel.otel_traces (${ROW}) ${childRows} ${numbers} WHERE isDiverged OR isLapsed`,
      );
    }
  });
}

async function makeView() {
  const [table, view] = viewDefinition('otel.otel_traces', 'otel.otel_calls');
  for (const statement of [table, ...hoursDefinition('otel.otel_calls')]) session.query(statement);
  const select = view.slice(view.indexOf('SELECT')).replace(/;$/, '');
  await timed('view filled', async () => {
    for (let day = 0; day < DAYS; day += 1) {
      const date = new Date(START_MS + day * 86_400_000).toISOString().slice(0, 10);
      session.query(`INSERT INTO otel.otel_calls ${select} AND toDate(Timestamp) = '${date}'`);
    }
  });
}

async function measure(view, times) {
  const slow = new Map();
  const run = async (sql, params) => {
    const startedAtMs = performance.now();
    const settings = Object.entries(QUERY_SETTINGS).map(
      ([name, value]) => `${name} = ${typeof value === 'number' ? value : `'${value}'`}`,
    );
    const lines = session.queryBind(`${sql}\nSETTINGS ${settings.join(', ')}`, params, 'JSONEachRow');
    const key = sql.slice(0, 60).replace(/\s+/g, ' ');
    slow.set(key, [...(slow.get(key) ?? []), performance.now() - startedAtMs]);
    return lines
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  };
  const place = { database: 'otel', table: 'otel_traces', view };
  const range = { sinceMs: START_MS, untilMs: END_MS };
  const source = () => clickhouseSummary(createAsker(run, place, range));
  console.log(`\n${view === null ? 'without the view' : 'with the view'}, medians of ${times}:`);
  await median('overview of the week', times, () => source().overview(24));
  for (const [key, list] of slow) console.log(`    ${Math.round(middle(list))} ms  ${key}`);
  const held = source();
  // Ranked through the view both times: this is not what is measured.
  const names = clickhouseSummary(createAsker(run, { ...place, view: 'otel_calls' }, range));
  const lineages = await names.lineages({ offset: 0, limit: 200 });
  await median('200 lineages', times, () => held.lineages({ offset: 200, limit: 200 }));
  await median('a timeline, its 40 calls', times, (round) =>
    held.lineageCalls(lineages[round].name, { offset: 0, limit: 200 }),
  );
  await median('200 calls of a timeline of all week', times, (round) =>
    held.lineageCalls('l0', { offset: round * 200, limit: 200 }),
  );
  await median('a call', times, (round) =>
    source().lineageCalls(lineages[round + 20].name, { offset: 3, limit: 1 }),
  );
  if (process.env.REPORT) await median('report', 1, () => source().reportParts());
}

/** The processor time says what the clock would on a machine with nothing else to do. */
async function median(name, times, act) {
  const took = [];
  const worked = [];
  for (let round = 0; round < times; round += 1) {
    const startedAtMs = performance.now();
    const before = process.cpuUsage();
    try {
      await act(round);
    } catch (error) {
      const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(0);
      console.log(`  failed after ${seconds} s: ${name}: ${error.message.slice(0, 90)}`);
      return;
    }
    took.push(performance.now() - startedAtMs);
    const { user, system } = process.cpuUsage(before);
    worked.push((user + system) / 1000);
  }
  const figures = [took, worked].map((list) => String(Math.round(middle(list))).padStart(7));
  console.log(`${figures[0]} ms, ${figures[1]} ms of processor  ${name}`);
}

function middle(values) {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)];
}

async function timed(what, act) {
  const startedAtMs = performance.now();
  await act();
  console.log(`${what} in ${((performance.now() - startedAtMs) / 1000).toFixed(1)} s`);
}

function rowsOf(sql) {
  return session
    .query(sql, 'JSONEachRow')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
