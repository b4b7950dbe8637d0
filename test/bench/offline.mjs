#!/usr/bin/env node
// Measures the offline commands over a large exchange log beside plain JSON.parse over the same bytes: time and peak memory.
//   npm run build && node test/bench/offline.mjs                 1 GB
//   node test/bench/offline.mjs --megabytes 64 --dist dist       a quick look
//   node test/bench/offline.mjs --log calls.jsonl                a log of your own
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    megabytes: { type: 'string', default: '1024' },
    dist: { type: 'string', default: 'dist' },
    'first-sights': { type: 'string', default: '0.1' },
    log: { type: 'string' },
    commands: { type: 'string', default: 'diagnose --json,diagnose,check,report,import' },
    keep: { type: 'boolean', default: false },
  },
});

const MESSAGES = 300;
const LIVE_CONVERSATIONS = 4;
/** Share of calls that nothing came before: sub-agents, titles, graders. */
const FIRST_SIGHT_SHARE = Number(values['first-sights']);
const WORDS =
  'the agent reads a file and then it calls another tool because the result of "grep" was not what the user had asked for\n\tconst value = await cache.get(key); // see src/store.ts\nsummary: all tests pass'.split(
    ' ',
  );

let seed = 42;
/** The same log each time: a small generator of our own instead of Math.random. */
function random() {
  seed = (seed * 1_664_525 + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
}

function prose(characters, extra = '') {
  let text = `${extra}${Math.floor(random() * 1e9)}`;
  while (text.length < characters) text += ` ${WORDS[Math.floor(random() * WORDS.length)]}`;
  return text;
}

const tools = Array.from({ length: 18 }, (_, index) => ({
  name: `tool_${index}`,
  description: prose(700),
  input_schema: {
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 6 }, (__, field) => [
        `field_${field}`,
        { type: 'string', description: prose(80) },
      ]),
    ),
    required: ['field_0'],
  },
}));

const TOOLS_TOKENS = Math.round(JSON.stringify(tools).length / 4);

function newConversation(number) {
  return {
    number,
    // One in eight is written beyond Latin-1: such text is twice as wide in memory.
    extra: number % 8 === 7 ? '日本語 – ' : '',
    system: [{ type: 'text', text: prose(9_000), cache_control: { type: 'ephemeral' } }],
    messages: [{ role: 'user', content: [{ type: 'text', text: prose(2_000) }] }],
    cached: 0,
  };
}

function grow(conversation) {
  const id = `toolu_${conversation.number}_${conversation.messages.length}`;
  const { extra } = conversation;
  conversation.messages.push(
    {
      role: 'assistant',
      content: [
        { type: 'text', text: prose(200, extra) },
        { type: 'tool_use', id, name: 'tool_3', input: { field_0: prose(60), field_1: prose(200) } },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content: prose(400 + random() * 2_400, extra) }],
    },
  );
}

/** The order of design §6 or the one of our own writer, which puts the body last. */
function lineOf(body, { atMs, usage, thread, isBodyLast }) {
  const front = {
    api: 'anthropic.messages',
    at: new Date(atMs).toISOString(),
    endpoint: 'api.anthropic.com',
  };
  const behind = {
    usage,
    response: { status: 200, id: `msg_${atMs}`, completed_at: new Date(atMs + 4_000).toISOString() },
    scope: { thread },
  };
  return `${JSON.stringify(isBodyLast ? { ...front, ...behind, body } : { ...front, body, ...behind })}\n`;
}

async function makeLog(file, bytes) {
  const output = createWriteStream(file);
  const live = [];
  let written = 0;
  let conversations = 0;
  let atMs = Date.UTC(2026, 10, 30, 8);
  const write = async (line) => {
    written += Buffer.byteLength(line);
    if (!output.write(line)) await once(output, 'drain');
  };
  while (written < bytes) {
    atMs += 3_000;
    if (random() < FIRST_SIGHT_SHARE) {
      const body = {
        ...{ model: 'claude-haiku-5', max_tokens: 1_024 },
        system: prose(1_000),
        messages: [{ role: 'user', content: prose(20_000 + random() * 200_000) }],
      };
      const usage = {
        input_tokens: 30_000,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 0,
        output_tokens: 40,
      };
      await write(lineOf(body, { atMs, usage, thread: undefined, isBodyLast: false }));
      continue;
    }
    const place = Math.floor(random() * LIVE_CONVERSATIONS);
    if (!live[place] || live[place].messages.length >= MESSAGES) {
      live[place] = newConversation(conversations);
      conversations += 1;
    } else grow(live[place]);
    const conversation = live[place];
    // Now and then what is meant to be stable is not: the tools in front of it are all that is read then.
    if (random() < 0.01) {
      conversation.system[0].text = prose(9_000);
      conversation.cached = Math.min(conversation.cached, TOOLS_TOKENS);
    }
    const body = {
      ...{ model: 'claude-opus-5', max_tokens: 8_192, stream: true, tools, system: conversation.system },
      messages: conversation.messages.map((message, index) =>
        index < conversation.messages.length - 1
          ? message
          : {
              ...message,
              content: message.content.map((block) => ({ ...block, cache_control: { type: 'ephemeral' } })),
            },
      ),
    };
    const total = Math.round(JSON.stringify(body).length / 4);
    const usage = {
      ...{ input_tokens: 4, output_tokens: 210 },
      cache_read_input_tokens: conversation.cached,
      cache_creation_input_tokens: Math.max(0, total - conversation.cached),
    };
    conversation.cached = total;
    const isBodyLast = conversation.number % 2 === 1;
    await write(lineOf(body, { atMs, usage, thread: `ticket-${conversation.number}`, isBodyLast }));
  }
  output.end();
  await once(output, 'close');
}

const PLAIN_PARSE = `
import { createReadStream } from 'node:fs';
let held = [];
for await (const chunk of createReadStream(process.argv[1], { highWaterMark: 1 << 20 })) {
  let start = 0;
  for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
    held.push(chunk.subarray(start, end));
    JSON.parse(Buffer.concat(held).toString('utf8'));
    held = [];
    start = end + 1;
  }
  held.push(chunk.subarray(start));
}`;

/** Peak memory and processor time are told by the process itself as it ends. */
const TELL = `data:text/javascript,process.on('exit',()=>{const u=process.resourceUsage();process.stderr.write('maxRSS='+u.maxRSS+' cpu='+(u.userCPUTime+u.systemCPUTime)+'\\n')})`;

async function measure(words, options = {}) {
  const startedAtMs = performance.now();
  const child = spawn(process.execPath, ['--import', TELL, ...words], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...options,
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  const [exitCode] = await once(child, 'close');
  const [told = '', maxRss, cpu] = /maxRSS=(\d+) cpu=(\d+)\n/.exec(errors) ?? [];
  return {
    seconds: (performance.now() - startedAtMs) / 1_000,
    cpuSeconds: Number(cpu) / 1e6,
    maxRssMegabytes: Number(maxRss) / 1_024,
    exitCode,
    errors: errors.replace(told, ''),
  };
}

const folder = mkdtempSync(join(tmpdir(), 'prefixtrace-bench-'));
try {
  const log = values.log === undefined ? join(folder, 'calls.jsonl') : resolve(values.log);
  if (values.log === undefined) await makeLog(log, Number(values.megabytes) * 1e6);
  const megabytes = statSync(log).size / 1e6;
  console.log(`${log}: ${megabytes.toFixed(0)} MB, Node ${process.version}`);
  const print = (name, { seconds, cpuSeconds, maxRssMegabytes, exitCode, errors }, note = '') =>
    console.log(
      `${name.padEnd(16)} ${seconds.toFixed(1).padStart(6)} s ${cpuSeconds.toFixed(1).padStart(6)} s CPU ${(megabytes / seconds).toFixed(0).padStart(4)} MB/s ${maxRssMegabytes.toFixed(0).padStart(4)} MB RSS  exit ${exitCode}${note}${errors === '' ? '' : `\n${errors}`}`,
    );

  for (const command of values.commands.split(',')) {
    // Side by side: what else the machine does changes from minute to minute.
    const plain = await measure(['--input-type=module', '--eval', PLAIN_PARSE, log]);
    print('JSON.parse', plain);
    const words = [resolve(values.dist, 'cli/main.js'), ...command.split(' '), log];
    const env = { ...process.env, PREFIXTRACE_DIR: join(folder, 'store') };
    const measured = await measure(words, { env });
    const ratio = (part) => (plain[part] / measured[part]).toFixed(2);
    print(
      command,
      measured,
      `  ${ratio('seconds')} × the speed of JSON.parse, ${ratio('cpuSeconds')} × by CPU`,
    );
  }
} finally {
  if (!values.keep) rmSync(folder, { recursive: true, force: true });
  else console.log(`kept: ${folder}`);
}
