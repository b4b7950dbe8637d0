/** The counter with the built worker (`npm test` builds first), and with workers that misbehave. */
import { execFile } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type Countable,
  createTokenCounter,
  type TokenCounter,
  type TokenCounterOptions,
} from '../../src/tokens/counter.ts';

const execute = promisify(execFile);
const opened: TokenCounter[] = [];

function open(options: TokenCounterOptions = {}): TokenCounter {
  const counter = createTokenCounter(options);
  opened.push(counter);
  return counter;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((counter) => counter.close()));
});

function item(hash: bigint, text: string, extraTokens = 0): Countable {
  return { hash, read: () => ({ text, extraTokens }) };
}

/** A worker from source text: what it says is run for each message `request`. */
function worker(script: string): URL {
  return new URL(
    `data:text/javascript,${encodeURIComponent(
      `import { parentPort } from 'node:worker_threads'; parentPort.on('message', (request) => { ${script} });`,
    )}`,
  );
}

const LENGTHS = worker('parentPort.postMessage(request.texts.map((text) => text.length));');

describe('counting in a worker', () => {
  it('starts nothing before the first text, and knows its count afterwards', async () => {
    const counter = open();
    expect(counter.stats).toEqual({ held: 0, dropped: 0, workerStarts: 0 });
    counter.ask([item(1n, 'hello world'), item(2n, '', 7), item(3n, 'hello world', 5)], 'o200k_base');
    expect(counter.known(1n, 'o200k_base')).toBeUndefined();
    await counter.settled();
    expect([1n, 2n, 3n].map((hash) => counter.known(hash, 'o200k_base'))).toEqual([2, 7, 7]);
    expect(counter.stats).toEqual({ held: 3, dropped: 0, workerStarts: 1 });
  });

  it('keeps the counts of two vocabularies apart', async () => {
    const counter = open();
    const text = '今天天气很好，我们去公园散步';
    counter.ask([item(1n, text)], 'o200k_base');
    counter.ask([item(1n, text)], 'cl100k_base');
    await counter.settled();
    const [newer, older] = [counter.known(1n, 'o200k_base'), counter.known(1n, 'cl100k_base')];
    expect(newer).toBeGreaterThan(5);
    expect(older).toBeGreaterThan(newer as number);
  });

  it('leaves the main thread alone while the vocabulary loads', async () => {
    const counter = open();
    const before = performance.eventLoopUtilization();
    counter.ask([item(1n, 'hello')], 'o200k_base');
    const startedAt = performance.now();
    await counter.settled();
    const { active } = performance.eventLoopUtilization(before);
    expect(performance.now() - startedAt).toBeGreaterThan(active * 2);
    expect(active).toBeLessThan(200);
  });
});

describe('bounds', () => {
  it('counts a text once, however often it is asked for', async () => {
    const counter = open({ workerFile: LENGTHS });
    let reads = 0;
    const read = () => {
      reads += 1;
      return { text: 'abc', extraTokens: 0 };
    };
    counter.ask(
      [
        { hash: 1n, read },
        { hash: 1n, read },
      ],
      'o200k_base',
    );
    await counter.settled();
    counter.ask([{ hash: 1n, read }], 'o200k_base');
    expect(reads).toBe(1);
  });

  it('forgets the counts that were used least recently', async () => {
    const counter = open({ workerFile: LENGTHS, maxHeldCounts: 3 });
    for (const hash of [1n, 2n, 3n]) counter.ask([item(hash, 'abc')], 'o200k_base');
    await counter.settled();
    expect(counter.known(1n, 'o200k_base')).toBe(3);
    counter.ask([item(4n, 'abcd')], 'o200k_base');
    await counter.settled();
    expect([1n, 2n, 3n, 4n].map((hash) => counter.known(hash, 'o200k_base'))).toEqual([3, undefined, 3, 4]);
  });

  it('drops what the queue has no room for, and takes it when it is asked for again', async () => {
    const counter = open({ workerFile: LENGTHS, maxQueuedCharacters: 1_000 });
    const items = Array.from({ length: 30 }, (_, index) => item(BigInt(index), 'x'.repeat(100)));
    counter.ask(items, 'o200k_base');
    await counter.settled();
    const { held, dropped } = counter.stats;
    expect(held + dropped).toBe(30);
    expect(dropped).toBeGreaterThan(15);
    for (let round = 0; round < 3; round += 1) {
      counter.ask(items, 'o200k_base');
      await counter.settled();
    }
    expect(counter.stats.held).toBe(30);
  });

  it('passes many texts in batches', async () => {
    const counter = open({ workerFile: LENGTHS });
    const items = Array.from({ length: 2_000 }, (_, index) => item(BigInt(index), 'x'.repeat(index)));
    counter.ask(items, 'o200k_base');
    await counter.settled();
    expect(items.every(({ hash }) => counter.known(hash, 'o200k_base') === Number(hash))).toBe(true);
  });

  it('sends a sample of a huge text', async () => {
    const counter = open({ workerFile: LENGTHS });
    counter.ask([item(1n, 'x'.repeat(5_000_000))], 'o200k_base');
    await counter.settled();
    expect(counter.known(1n, 'o200k_base')).toBe(5_000_000);
  });
});

describe('a worker that fails', () => {
  const crashOn = (word: string) =>
    worker(
      `if (request.texts.some((text) => text.startsWith('${word}'))) throw new Error('crash');
       parentPort.postMessage(request.texts.map((text) => text.length));`,
    );
  const large = (word: string) => word + 'x'.repeat(150_000 - word.length);

  it('is started once more, without the text that broke it', async () => {
    const counter = open({ workerFile: crashOn('bad') });
    counter.ask([item(1n, large('good')), item(2n, large('bad')), item(3n, large('good'))], 'o200k_base');
    await counter.settled();
    expect([1n, 2n, 3n].map((hash) => counter.known(hash, 'o200k_base'))).toEqual([
      150_000,
      undefined,
      150_000,
    ]);
    expect(counter.stats).toEqual({ held: 2, dropped: 1, workerStarts: 2 });
  });

  it('is given up after the second crash, and what is known stays known', async () => {
    const counter = open({ workerFile: crashOn('bad') });
    counter.ask([item(1n, 'good')], 'o200k_base');
    await counter.settled();
    for (const hash of [2n, 3n, 4n, 5n]) {
      counter.ask([item(hash, 'bad')], 'o200k_base');
      await counter.settled();
    }
    expect(counter.known(1n, 'o200k_base')).toBe(4);
    expect(counter.stats).toEqual({ held: 1, dropped: 4, workerStarts: 2 });
  });

  it.each([
    ['is not there', new URL('file:///nowhere/tokens-worker.js')],
    ['is no program', worker('}{')],
    ['ends by itself', worker('process.exit(3);')],
    ['never answers', worker('while (true);')],
  ])('that %s is given up quietly', async (_, workerFile) => {
    const counter = open({ workerFile, deadlineMs: 2_000 });
    counter.ask([item(1n, 'a')], 'o200k_base');
    await counter.settled();
    counter.ask([item(2n, 'b')], 'o200k_base');
    await counter.settled();
    expect(counter.stats).toEqual({ held: 0, dropped: 2, workerStarts: 2 });
  });

  it('that needs too much memory is given up, and the host goes on', async () => {
    const all = worker('const all = []; while (true) all.push(Array.from({ length: 1e5 }, () => ({})));');
    const counter = open({ workerFile: all, deadlineMs: 25_000 });
    counter.ask([item(1n, 'a')], 'o200k_base');
    const startedAt = performance.now();
    await counter.settled();
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(counter.stats).toEqual({ held: 0, dropped: 1, workerStarts: 1 });
  });

  it('may be closed while texts wait', async () => {
    const counter = open({ workerFile: worker('while (true);') });
    counter.ask([item(1n, 'a')], 'o200k_base');
    const settled = counter.settled();
    await counter.close();
    await settled;
    counter.ask([item(2n, 'b')], 'o200k_base');
    await counter.settled();
    expect(counter.stats.dropped).toBe(2);
  });
});

/** Runs the built counter in a process of its own. */
async function runHost(
  script: string,
  env: NodeJS.ProcessEnv = {},
): Promise<{ stdout: string; stderr: string }> {
  const find = `import { readdirSync } from 'node:fs';
    const folder = new URL('${new URL('../../dist/', import.meta.url).href}');
    const chunks = readdirSync(folder).filter((name) => /^counter-.*\\.js$/.test(name));
    const found = await Promise.all(chunks.map((name) => import(new URL(name, folder).href)));
    const createTokenCounter = found.flatMap((chunk) => Object.values(chunk)).find((value) => typeof value === 'function');
    const item = { hash: 1n, read: () => ({ text: 'hello world', extraTokens: 0 }) };`;
  const args = ['--input-type=module', '--eval', `${find}\n${script}`];
  return execute(process.execPath, args, { env: { PATH: process.env.PATH, ...env } });
}

describe('the host', () => {
  it('ends when it has nothing else to do, whatever still waits to be counted', async () => {
    const { stdout } = await runHost(
      `createTokenCounter().ask([item], 'o200k_base'); process.on('exit', () => console.log('ended', process.exitCode ?? 0));`,
    );
    expect(stdout).toBe('ended 0\n');
  });

  it('stays while it awaits the counts, and then ends', async () => {
    const { stdout } = await runHost(
      `const counter = createTokenCounter(); counter.ask([item], 'o200k_base'); await counter.settled();
       console.log(counter.known(1n, 'o200k_base'));`,
    );
    expect(stdout).toBe('2\n');
  });

  it('does not have its preloaded modules run again in the worker', async () => {
    const preload = `data:text/javascript,${encodeURIComponent("process._rawDebug('preloaded');")}`;
    const { stdout, stderr } = await runHost(
      `const counter = createTokenCounter(); counter.ask([item], 'o200k_base'); await counter.settled();
       console.log(counter.known(1n, 'o200k_base'));`,
      { NODE_OPTIONS: `--import=${preload}` },
    );
    expect(stdout).toBe('2\n');
    expect(stderr).toBe('preloaded\n');
  });

  it('may forbid threads', async () => {
    const { stdout } = await execute(
      process.execPath,
      [
        process.allowedNodeEnvironmentFlags.has('--permission')
          ? '--permission'
          : '--experimental-permission',
        '--allow-fs-read=*',
        '--no-warnings',
        '--input-type=module',
        '--eval',
        `import { readdirSync } from 'node:fs';
         const folder = new URL('${new URL('../../dist/', import.meta.url).href}');
         const chunks = readdirSync(folder).filter((name) => /^counter-.*\\.js$/.test(name));
         const found = await Promise.all(chunks.map((name) => import(new URL(name, folder).href)));
         const create = found.flatMap((chunk) => Object.values(chunk)).find((value) => typeof value === 'function');
         const counter = create();
         counter.ask([{ hash: 1n, read: () => ({ text: 'a', extraTokens: 0 }) }], 'o200k_base');
         await counter.settled();
         console.log(JSON.stringify(counter.stats));`,
      ],
      { env: { PATH: process.env.PATH } },
    );
    expect(JSON.parse(stdout)).toMatchObject({ held: 0, dropped: 1 });
  });
});
