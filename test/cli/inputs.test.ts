/** What the offline commands take: files, folders, patterns, gzip, pipes; and files that mean them no good. */
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGzip, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../cli/run.ts';
import { readAll } from '../../cli/sources/call-source.ts';
import { openSource } from '../../cli/sources/open-source.ts';
import { exchangeLine } from '../support/exchange-lines.ts';
import { capturedContext } from './captured-context.ts';

const FIRST = exchangeLine('10:00', 1, 0, 2_100);
const SECOND = exchangeLine('10:00', 2, 2_100, 20);
const BROKEN = exchangeLine('10:31', 3, 0, 2_140);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'prefixtrace-test-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function file(name: string, content: string | Uint8Array): Promise<string> {
  await mkdir(join(folder, name, '..'), { recursive: true });
  await writeFile(join(folder, name), content);
  return name;
}

async function prefixtrace(words: readonly string[], overrides: Parameters<typeof capturedContext>[0] = {}) {
  const context = capturedContext({ workingDirectory: folder, ...overrides });
  const exitCode = await run(words, context);
  return { exitCode, out: context.out(), err: context.err() };
}

async function sourcesOf(...words: string[]): Promise<string[]> {
  const { out } = await prefixtrace(['diagnose', ...words, '--json']);
  return JSON.parse(out).calls.map(({ source }: { source: string }) => source);
}

describe('folders', () => {
  it('are walked in order of names, and are one run', async () => {
    await file('logs/b.jsonl', BROKEN);
    await file('logs/a.jsonl', FIRST + SECOND);
    await file('logs/deep/er/c.jsonl', BROKEN);
    expect(await sourcesOf('logs')).toEqual([
      'logs/a.jsonl:1',
      'logs/a.jsonl:2',
      'logs/b.jsonl:1',
      'logs/deep/er/c.jsonl:1',
    ]);
    const { calls } = JSON.parse((await prefixtrace(['diagnose', 'logs', '--json'])).out);
    expect(calls[2]).toMatchObject({ index: 2, baseline: 1, finding: true });
  });

  it('leave out what is hidden and the packages of a project', async () => {
    await file('logs/.cache/a.jsonl', FIRST);
    await file('logs/node_modules/x/a.jsonl', FIRST);
    await file('logs/b.jsonl', FIRST);
    expect(await sourcesOf('logs')).toEqual(['logs/b.jsonl:1']);
  });

  it('are read although they hold other things, which are told of', async () => {
    await file('logs/a.jsonl', FIRST);
    await file('logs/picture.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 1]));
    await file('logs/empty.jsonl', '');
    execFileSync('mkfifo', [join(folder, 'logs/pipe')]);
    const { exitCode, err } = await prefixtrace(['diagnose', 'logs', '--json']);
    expect(exitCode).toBe(0);
    expect(err.split('\n').sort()).toEqual([
      '',
      'prefixtrace: passed over: logs/empty.jsonl: is empty',
      'prefixtrace: passed over: logs/picture.png: is a binary file',
      'prefixtrace: passed over: logs/pipe: is neither a file nor a folder',
    ]);
  });

  it('are no trap: links to folders are not followed, links in a circle are told of', async () => {
    await file('logs/a.jsonl', FIRST);
    await symlink('..', join(folder, 'logs/up'));
    await symlink('circle', join(folder, 'logs/circle'));
    await symlink('nowhere', join(folder, 'logs/gone'));
    await symlink('a.jsonl', join(folder, 'logs/b.jsonl'));
    const { out, err } = await prefixtrace(['diagnose', 'logs', '--json']);
    expect(JSON.parse(out).calls).toHaveLength(2);
    expect(err).toContain('logs/up: is a link to a folder, which is not followed\n');
    expect(err).toContain('logs/circle: is a link that goes in a circle\n');
    expect(err).toContain('logs/gone: is a link that leads nowhere\n');
  });

  it('that hold no log at all, or nothing, are refused', async () => {
    await mkdir(join(folder, 'nothing/in/it'), { recursive: true });
    expect(await prefixtrace(['diagnose', 'nothing'])).toEqual({
      ...{ exitCode: 2, out: '' },
      err: 'prefixtrace: cannot read nothing: there is no file in this folder\n',
    });
    await file('texts/a.md', 'Dear diary,\n');
    await file('texts/b.md', 'nothing happened.\n');
    const { exitCode, err } = await prefixtrace(['diagnose', 'texts']);
    expect(exitCode).toBe(2);
    expect(err).toMatch(/^prefixtrace: none of 2 files can be read: texts\/a\.md:1: is neither JSON .*\n$/);
  });

  it.skipIf(process.getuid?.() === 0)(
    'that may not be listed are missed, not passed over (SKIPPED as root, who may read all)',
    async () => {
      await file('logs/a.jsonl', FIRST);
      await file('logs/locked/b.jsonl', FIRST);
      await chmod(join(folder, 'logs/locked'), 0);
      const { exitCode, err } = await prefixtrace(['check', 'logs']);
      await chmod(join(folder, 'logs/locked'), 0o700);
      expect([exitCode, err]).toEqual([1, 'prefixtrace: not read: logs/locked: cannot be listed (EACCES)\n']);
    },
  );

  it('of spans are the store that they are, for each command', async () => {
    await file('calls.jsonl', FIRST + SECOND + BROKEN);
    const env = { NO_COLOR: '1', PREFIXTRACE_DIR: join(folder, 'traces') };
    await prefixtrace(['import', 'calls.jsonl'], { env });
    for (const words of [
      ['report', '--json'],
      ['diagnose', '--json'],
      ['check', '--json'],
    ]) {
      const { out, err } = await prefixtrace([...words, 'traces']);
      const { calls, totals } = JSON.parse(out);
      expect([words[0], calls?.length ?? calls ?? totals.calls, err]).toEqual([words[0], 3, '']);
    }
  });

  it('are read together with stores: numbers and lineages stay apart', async () => {
    await file('calls.jsonl', FIRST + SECOND + BROKEN);
    const env = { NO_COLOR: '1', PREFIXTRACE_DIR: join(folder, 'traces') };
    await prefixtrace(['import', 'calls.jsonl'], { env });
    const { out } = await prefixtrace(['diagnose', 'calls.jsonl', 'traces', '--json']);
    const { calls, summary } = JSON.parse(out);
    expect(calls.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(calls[5]).toMatchObject({ baseline: 4, finding: true, divergence: { kind: 'system.timestamp' } });
    expect(summary).toMatchObject({
      calls: 6,
      findings: 2,
      lineages: 2 * new Set([calls[0].lineage, calls[2].lineage]).size,
    });
  });
});

describe('patterns', () => {
  it('are filled in where the shell did not, in order of names', async () => {
    await file('runs/10.jsonl', FIRST);
    await file('runs/2.jsonl', FIRST);
    await file('runs/x/3.jsonl', FIRST);
    await file('runs/4.txt', FIRST);
    expect(await sourcesOf('runs/*.jsonl')).toEqual(['runs/10.jsonl:1', 'runs/2.jsonl:1']);
    expect(await sourcesOf('runs/**/*.jsonl')).toEqual([
      'runs/10.jsonl:1',
      'runs/2.jsonl:1',
      'runs/x/3.jsonl:1',
    ]);
    expect(await sourcesOf('ru*')).toHaveLength(4);
  });

  it('are names first: a file that is called like one is that file', async () => {
    await file('call[1].jsonl', FIRST);
    await file('call1.jsonl', FIRST);
    expect(await sourcesOf('call[1].jsonl')).toEqual(['call[1].jsonl:1']);
  });

  it('are taken by report as well, and so are several words', async () => {
    await file('a.jsonl', FIRST);
    await file('b.jsonl', SECOND);
    const { out } = await prefixtrace(['report', '--json', '?.jsonl', 'a.jsonl']);
    expect(JSON.parse(out)).toMatchObject({ source: '?.jsonl and 1 more', totals: { calls: 3 } });
  });
});

describe('gzip', () => {
  it('is found by content, whatever the name, and in several members', async () => {
    await file('a.jsonl', Buffer.concat([gzipSync(FIRST), gzipSync(SECOND)]));
    expect(await sourcesOf('a.jsonl')).toEqual(['a.jsonl:1', 'a.jsonl:2']);
  });

  it('is found on standard input', async () => {
    async function* packed() {
      const bytes = gzipSync(FIRST + SECOND);
      yield bytes.subarray(0, 1);
      yield bytes.subarray(1);
    }
    const { out } = await prefixtrace(['diagnose', '-', '--json'], { stdin: packed() });
    expect(JSON.parse(out).calls).toHaveLength(2);
  });

  it('holds spans as well', async () => {
    await file('calls.jsonl', FIRST + SECOND);
    const env = { NO_COLOR: '1', PREFIXTRACE_DIR: join(folder, 'traces') };
    await prefixtrace(['import', 'calls.jsonl'], { env });
    execFileSync('sh', ['-c', 'cat traces/*.jsonl | gzip > spans.gz'], { cwd: folder });
    const { out } = await prefixtrace(['report', '--json', 'spans.gz']);
    expect(JSON.parse(out).totals.calls).toBe(2);
  });

  it('that breaks off counts up to there, is told of, and fails a check', async () => {
    const lines = Array.from({ length: 300 }, (_, index) =>
      exchangeLine(`clock ${index} ${Math.random()}`, 1, 0, 2_100),
    );
    const packed = gzipSync(lines.join(''));
    await file('torn.gz', packed.subarray(0, packed.length / 2));
    const { exitCode, out, err } = await prefixtrace(['check', 'torn.gz', '--max-findings', '999']);
    expect(err).toContain('prefixtrace: not read: torn.gz: is damaged: it is not a whole gzip file\n');
    expect(out).toMatch(/failed: [1-9]\d* calls\n/);
    expect(exitCode).toBe(1);
  });

  it('bombs are given up before they fill the memory', async () => {
    const bomb = createGzip();
    const chunks: Buffer[] = [];
    bomb.on('data', (chunk: Buffer) => chunks.push(chunk));
    const zeros = Buffer.alloc(1 << 20);
    for (let megabyte = 0; megabyte < 400; megabyte += 1) bomb.write(zeros);
    await new Promise<void>((resolve) => bomb.end(resolve));
    await file('bomb.gz', Buffer.concat(chunks));
    const before = process.memoryUsage.rss();
    const { exitCode, err } = await prefixtrace(['diagnose', 'bomb.gz']);
    expect(exitCode).toBe(2);
    expect(err).toMatch(/^prefixtrace: bomb\.gz:1: is a binary file; expected .*\n$/);
    expect(process.memoryUsage.rss() - before).toBeLessThan(300 * 1024 * 1024);
  });
});

describe('standard input', () => {
  it('is read in its place among files', async () => {
    await file('a.jsonl', FIRST);
    await file('z.jsonl', BROKEN);
    const context = capturedContext({ workingDirectory: folder, input: SECOND });
    await run(['diagnose', 'a.jsonl', '-', 'z.jsonl', '--json'], context);
    const { calls } = JSON.parse(context.out());
    expect(calls.map(({ source }: { source: string }) => source)).toEqual([
      'a.jsonl:1',
      '<stdin>:1',
      'z.jsonl:1',
    ]);
    expect(calls[2].baseline).toBe(1);
  });

  it('at a terminal is not waited for', async () => {
    const stdin = Object.assign((async function* () {})(), { isTTY: true });
    const { exitCode, err } = await prefixtrace(['diagnose', '-'], { stdin });
    expect([exitCode, err]).toEqual([
      2,
      'prefixtrace: nothing to read: pipe a log into the command, or give a file name\n',
    ]);
  });
});

describe('a file that is no log, or not a good one, is refused in one clear line', () => {
  const NESTED = 200_000;

  it.each<[string, string | Uint8Array, RegExp]>([
    ['an empty file', '', /:1: is empty; expected/],
    ['blank lines', ' \n\n\t\n', /:1: is empty; expected/],
    ['bytes of a program', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0]), /:1: is a binary file; /],
    ['NUL bytes', Buffer.alloc(70_000), /:1: is a binary file; /],
    ['UTF-16', Buffer.from(`\ufeff${FIRST}`, 'utf16le'), /is UTF-16 text: convert it first, with `iconv/],
    ['zstd', Buffer.from('28b52ffd0458', 'hex'), /is compressed with zstd: unpack it first/],
    ['a zip archive', Buffer.from('PK\x03\x04rest'), /is a zip archive; /],
    ['a database', 'SQLite format 3\0…', /is an SQLite database: export its rows/],
    ['prose', 'Dear diary,\n', /:1: is neither JSON nor a recorded cassette; /],
    ['a page', '<!doctype html>\n<p>Sign in\n', /:1: is neither JSON nor a recorded cassette; /],
    ['other JSON', '{"name":"prefixtrace","version":"1"}', /is of no format .*it holds "name", "version"/],
    ['a list of numbers', '[1,2,3]', /holds no JSON objects; /],
    [
      'JSON that breaks off',
      '{"api":"openai.chat","body":{"mess',
      /begins like JSON and is none: it is cut short/,
    ],
    ['nested arrays without end', '['.repeat(NESTED), /begins like JSON and is none/],
    ['nested arrays', `${'['.repeat(NESTED)}${']'.repeat(NESTED)}`, /holds no JSON objects/],
    ['nested YAML', `interactions: ${'['.repeat(NESTED)}`, /is damaged YAML/],
    ['YAML of aliases', yamlBomb(), /is damaged YAML/],
    ['a torn cassette', 'interactions:\n- request: {uri: "http', /is damaged YAML/],
    ['another application’s log', '{"level":"info","msg":"up"}\n'.repeat(500), /is of no format/],
  ])('%s', async (_what, content, reason) => {
    await file('given', content);
    const { exitCode, out, err } = await prefixtrace(['diagnose', 'given']);
    expect([exitCode, out]).toEqual([2, '']);
    expect(err).toMatch(/^prefixtrace: given.*\n$/);
    expect(err).toMatch(reason);
    expect(err.length).toBeLessThan(400);
  });

  it('a socket', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(folder, 'socket'), resolve));
    const { exitCode, err } = await prefixtrace(['diagnose', 'socket']);
    server.close();
    expect([exitCode, err]).toEqual([2, 'prefixtrace: cannot read socket: it is a socket, not a file\n']);
  });

  it('a link in a circle', async () => {
    await symlink('circle', join(folder, 'circle'));
    expect((await prefixtrace(['diagnose', 'circle'])).err).toBe(
      'prefixtrace: cannot read circle: its links go in a circle\n',
    );
  });

  it.skipIf(process.getuid?.() === 0)(
    'a file of somebody else (SKIPPED as root, who may read all)',
    async () => {
      await file('secret.jsonl', FIRST);
      await chmod(join(folder, 'secret.jsonl'), 0);
      expect((await prefixtrace(['diagnose', 'secret.jsonl'])).err).toBe(
        'prefixtrace: cannot read secret.jsonl: permission denied\n',
      );
    },
  );

  it.each([['report', '--json'], ['check'], ['import'], ['diagnose', '--json']])(
    'by %s as by the others',
    async (...words) => {
      await file('given', 'Dear diary,\n');
      const { exitCode, out, err } = await prefixtrace([...words, 'given'], {
        env: { PREFIXTRACE_DIR: join(folder, 'traces') },
      });
      expect([exitCode, out]).toEqual([2, '']);
      expect(err).toMatch(/^prefixtrace: given:1: is neither JSON .*\n$/);
    },
  );
});

describe('a log with something strange in it is read', () => {
  it.each<[string, string | Uint8Array]>([
    ['a byte order mark', `\ufeff${FIRST}${SECOND}`],
    ['lines that end as on Windows', (FIRST + SECOND).replaceAll('\n', '\r\n')],
    ['no last line end', (FIRST + SECOND).trimEnd()],
    ['blank lines', `\n\n${FIRST}\n\n${SECOND}\n`],
  ])('%s', async (_what, content) => {
    await file('given', content);
    const { out, err } = await prefixtrace(['diagnose', 'given', '--json']);
    expect([JSON.parse(out).calls.length, err]).toEqual([2, '']);
  });

  it.each<[string, string | Uint8Array, string]>([
    ['NUL bytes', Buffer.alloc(5_000), 'is not JSON'],
    ['a line beyond all measure', 'x'.repeat(65 * 1024 * 1024), 'the line is too long'],
    ['a nested line', `{"api":"openai.chat","body":${'['.repeat(100_000)}`, 'is not JSON'],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0xc0, 0x80]), 'is not JSON'],
  ])('%s between its lines', async (_what, content, reason) => {
    await file(
      'given',
      Buffer.concat([Buffer.from(FIRST), Buffer.from(content), Buffer.from(`\n${SECOND}`)]),
    );
    const { out, err } = await prefixtrace(['diagnose', 'given', '--json']);
    expect(JSON.parse(out).calls).toHaveLength(2);
    expect(err).toBe(`prefixtrace: skipped: given:2: ${reason}\n`);
  });

  it('a body nested beyond all measure', async () => {
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    const line = `{"api":"openai.chat","body":{"messages":[{"role":"user","content":${deep}}]}}\n`;
    await file('given', FIRST + line + SECOND);
    const { exitCode, out } = await prefixtrace(['diagnose', 'given', '--json']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(out).calls.length).toBeGreaterThanOrEqual(2);
  });

  it('a named pipe', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const context = capturedContext({ workingDirectory: folder });
    const running = run(['diagnose', 'pipe', '--json'], context);
    // Both ends wait for each other when they open it.
    await Promise.all([running, writeFile(join(folder, 'pipe'), FIRST + SECOND)]);
    expect(JSON.parse(context.out()).calls).toHaveLength(2);
  });
});

describe('progress', () => {
  it('is told in bytes of the files, packed as they are', async () => {
    const packed = gzipSync(FIRST);
    await file('a.jsonl', packed);
    await file('b.jsonl', SECOND);
    const source = await openSource(['a.jsonl', 'b.jsonl'], capturedContext({ workingDirectory: folder }));
    const total = packed.length + SECOND.length;
    expect(source.progress?.()).toMatchObject({ readBytes: 0, totalBytes: total });
    await readAll(source);
    expect(source.progress?.()).toMatchObject({ readBytes: total, totalBytes: total, position: 2, count: 2 });
  });

  it('is told of a store that is read once, and not of one that is followed', async () => {
    await file('calls.jsonl', FIRST + SECOND);
    const env = { NO_COLOR: '1', PREFIXTRACE_DIR: join(folder, 'traces') };
    await prefixtrace(['import', 'calls.jsonl'], { env });
    const source = await openSource('traces', capturedContext({ workingDirectory: folder }));
    await source.read({ follow: true, signal: AbortSignal.abort() })[Symbol.asyncIterator]().next();
    expect(source.progress?.()).toBeNull();
    await readAll(source);
    const { readBytes = 0, totalBytes } = source.progress?.() ?? {};
    expect(readBytes).toBeGreaterThan(1_000);
    expect(totalBytes).toBe(readBytes);
  });

  it('has no end where standard input is read', async () => {
    const source = await openSource('-', capturedContext({ input: FIRST }));
    await readAll(source);
    expect(source.progress?.()).toMatchObject({ readBytes: FIRST.length, totalBytes: null });
  });

  function slowly(isTTY: boolean) {
    async function* lines() {
      yield FIRST;
      await new Promise((resolve) => setTimeout(resolve, 550));
      yield SECOND;
    }
    const context = capturedContext({ workingDirectory: folder });
    return { ...context, stdin: lines(), stderr: { ...context.stderr, isTTY, columns: 60 } };
  }

  it.each([['diagnose'], ['check'], ['report'], ['import']])(
    'is a line of plain characters on a terminal for %s, and gone at the end',
    async (command) => {
      const context = slowly(true);
      await run([command, '-'], { ...context, env: { PREFIXTRACE_DIR: join(folder, 'traces') } });
      const drawn = context.err();
      expect(drawn).toMatch(/0\.0 MB · \d calls?/);
      expect(drawn).not.toMatch(/[\x00-\x0c\x0e-\x1f]/);
      expect(onScreen(drawn).trim()).toBe('');
    },
  );

  it('is not written where stderr is no terminal', async () => {
    const context = slowly(false);
    await run(['diagnose', '-', '--json'], context);
    expect(context.err()).toBe('');
  });
});

/** What one line of a terminal shows after all of it was written. */
function onScreen(written: string): string {
  const cells: string[] = [];
  let column = 0;
  for (const character of written) {
    if (character === '\r') column = 0;
    else {
      cells[column] = character;
      column += 1;
    }
  }
  return cells.join('');
}

function yamlBomb(): string {
  const levels = Array.from(
    { length: 12 },
    (_, level) =>
      `a${level}: &a${level} [${Array(10)
        .fill(level === 0 ? 'x' : `*a${level - 1}`)
        .join(',')}]`,
  );
  return `interactions: []\n${levels.join('\n')}\n`;
}
