/** `prefixtrace run` as a person runs it. `npm test` builds first. */
import { spawnSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ModelServer, startModelServer } from '../../src/model-server/index.ts';
import { PATIENT, type RecordingCommand, recordingCommand } from './recording-command.ts';

const PROGRAMS = join(import.meta.dirname, 'programs');
const hasPython = spawnSync('python3', ['--version']).status === 0;

let server: ModelServer;
let command: RecordingCommand;
beforeEach(async () => {
  server = await startModelServer({ reply: () => ({ text: 'By the sea.' }) });
  command = await recordingCommand();
});
afterEach(async () => {
  await server.close();
  await command.remove();
});

const keys = { ANTHROPIC_API_KEY: 'sk-ant-secret', OPENAI_API_KEY: 'sk-secret' };
const behind = (url: string) => ({ ...keys, ANTHROPIC_BASE_URL: url, OPENAI_BASE_URL: `${url}/v1` });

describe('run', () => {
  it('records the calls of a program, prints nothing on its output, and ends with its exit code', async () => {
    const words = ['run', '--phase', 'nightly', '--', process.execPath, join(PROGRAMS, 'talk.mjs')];
    const { ended, out, err } = command.start(words, behind(server.url));
    expect(await ended).toBe(7);
    expect(out()).toBe('By the sea.\n'.repeat(4));
    expect(err()).toMatch(
      /^prefixtrace: 4 calls, 1 finding: [\d,]+ tokens billed again.*prefixtrace view\n$/,
    );
    const calls = await command.calls();
    expect(calls.map(({ divergence, scope }) => [divergence?.kind ?? null, scope.phase])).toEqual([
      [null, 'nightly'],
      [null, 'nightly'],
      ['system.timestamp', 'nightly'],
      [null, 'nightly'],
    ]);
    expect(server.requests.map(({ path }) => path)).toEqual([
      ...['/v1/messages', '/v1/messages', '/v1/messages'],
      '/v1/chat/completions',
    ]);
  });

  it.skipIf(!hasPython)(
    'records the calls of a program in Python, which may say who is calling',
    async () => {
      const words = ['run', '--', 'python3', join(PROGRAMS, 'talk.py')];
      const { ended, out, err } = command.start(words, behind(server.url));
      expect([await ended, out()]).toEqual([0, 'By the sea.\n']);
      expect(err()).toMatch(/^prefixtrace: 1 call, no finding; /);
      expect((await command.calls()).map(({ scope }) => scope.phase)).toEqual(['python']);
      expect(server.requests[0]?.headers['x-prefixtrace-phase']).toBeUndefined();
    },
  );

  it('passes the options of the command on, with or without dashes in front', async () => {
    const script = 'console.log(process.argv.slice(1).join())';
    for (const dashes of [['--'], []]) {
      const { ended, out } = command.start([
        'run',
        ...dashes,
        process.execPath,
        '-e',
        script,
        '--',
        '--phase',
        '-x',
      ]);
      expect([await ended, out()]).toEqual([0, '--phase,-x\n']);
    }
  });

  it('says so where no call came through', async () => {
    const { ended, err } = command.start(['run', '--', process.execPath, '-e', '']);
    expect([await ended, err()]).toEqual([0, 'prefixtrace: no model call came through\n']);
  });

  it('ends with 127 and a line where there is no such command', async () => {
    const { ended, out, err } = command.start(['run', '--', 'no-such-command']);
    expect([await ended, out()]).toEqual([127, '']);
    expect(err()).toMatch(/^prefixtrace: cannot run no-such-command: no such command\n/);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'forwards %s, and ends as the command does',
    async (signal) => {
      const script = 'console.log("up"); setInterval(() => {}, 1000)';
      const { child, ended, out } = command.start(['run', '--', process.execPath, '-e', script]);
      await expect.poll(out, PATIENT).toBe('up\n');
      child.kill(signal);
      expect(await ended).toBe(128 + { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }[signal]);
    },
  );

  it('sets the variables of known clients, and leaves the rest as it is', async () => {
    const script = 'console.log(JSON.stringify(process.env))';
    const { ended, out } = command.start(['run', '--', process.execPath, '-e', script], {
      ...{
        OPENAI_BASE_URL: 'https://llm.example.com/openai/v1',
        HTTPS_PROXY: 'http://proxy:3128',
        NO_PROXY: 'a',
      },
    });
    await ended;
    const env = JSON.parse(out());
    const local = (pattern: RegExp) => expect.stringMatching(pattern);
    expect(env).toMatchObject({
      ANTHROPIC_BASE_URL: local(/^http:\/\/127\.0\.0\.1:\d+\/api\.anthropic\.com$/),
      OPENAI_BASE_URL: local(/^http:\/\/127\.0\.0\.1:\d+\/llm\.example\.com\/openai\/v1$/),
      GOOGLE_GEMINI_BASE_URL: local(/\/generativelanguage\.googleapis\.com$/),
      NO_PROXY: 'a,127.0.0.1',
    });
    // Some programs prefer the other name, and the user has set this one.
    expect(env.OPENAI_API_BASE).toBeUndefined();
  });

  it('leaves OpenAI’s variables alone where Azure’s are set, as its client takes only one of the two', async () => {
    const script = 'console.log(process.env.OPENAI_BASE_URL, process.env.AZURE_OPENAI_ENDPOINT)';
    const { ended, out } = command.start(['run', '--', process.execPath, '-e', script], {
      AZURE_OPENAI_ENDPOINT: 'https://mine.openai.azure.com/',
    });
    await ended;
    expect(out()).toMatch(/^undefined http:\/\/127\.0\.0\.1:\d+\/mine\.openai\.azure\.com\n$/);
  });

  it('runs the command as it is where recording is switched off', async () => {
    const script = 'console.log(process.env.ANTHROPIC_BASE_URL)';
    const words = ['run', '--', process.execPath, '-e', script];
    const { ended, out, err } = command.start(words, { PREFIXTRACE_DISABLED: '1' });
    expect([await ended, out(), err()]).toEqual([0, 'undefined\n', '']);
    expect(await readdir(command.directory)).toEqual([]);
  });
});
