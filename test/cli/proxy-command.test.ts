/** `prefixtrace proxy` as a person runs it. `npm test` builds first. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ModelServer, startModelServer } from '../../src/model-server/index.ts';
import {
  PATIENT,
  type RecordingCommand,
  recordingCommand,
  type StartedCommand,
} from './recording-command.ts';

const SYSTEM = 'You plan weddings with great care and never forget the cake. '.repeat(120);

let mayAnswer: Promise<void> | undefined;
let server: ModelServer;
let command: RecordingCommand;
beforeEach(async () => {
  mayAnswer = undefined;
  server = await startModelServer({ beforeFirstByte: () => mayAnswer });
  command = await recordingCommand();
});
afterEach(async () => {
  await server.close();
  await command.remove();
});

async function clientOf({ out }: StartedCommand): Promise<Anthropic> {
  await expect.poll(out, PATIENT).toMatch(/Ctrl-C stops/);
  const [baseURL] = /http:\/\/127\.0\.0\.1:\d+(?=;)/.exec(out()) ?? [];
  return new Anthropic({ baseURL, apiKey: 'sk-ant-secret', maxRetries: 0 });
}

const asked = (clock: string) => ({
  model: 'claude-sonnet-5',
  max_tokens: 50,
  system: [
    {
      type: 'text' as const,
      text: `It is ${clock}. ${SYSTEM}`,
      cache_control: { type: 'ephemeral' as const },
    },
  ],
  messages: [{ role: 'user' as const, content: 'Where?' }],
});

describe('proxy', () => {
  it('says how to use it, tells findings as they come, and sums up when it is stopped', async () => {
    const started = command.start(['proxy', '--target', server.url]);
    const client = await clientOf(started);
    for (const clock of ['10:00:30', '10:00:30', '10:00:41']) await client.messages.create(asked(clock));
    await expect.poll(started.out, PATIENT).toContain('╳ system.timestamp  system[0].text, byte 12');
    started.child.kill('SIGINT');
    expect(await started.ended).toBe(0);
    const [start, finding, summary, ...rest] = started.out().trimEnd().split('\n');
    expect(start).toMatch(
      /^Recording calls to http:\S+ at http:\S+; set it as the base URL of your client\. Ctrl-C stops\.$/,
    );
    expect(finding).toMatch(
      /^\d\d:\d\d:\d\d ╳ .* tokens billed again, \$0\.\d+ more than a cache read · l1$/,
    );
    expect(summary).toMatch(/^3 calls, 1 finding: .* prefixtrace view$/);
    expect([rest, started.err()]).toEqual([[], '']);
  });

  it('writes a log that only its owner may read, that holds no key, and that diagnoses to the same', async () => {
    const started = command.start(['proxy', '--target', server.url, '--log', 'calls.jsonl']);
    const client = await clientOf(started);
    for (const clock of ['10:00:30', '10:00:41']) await client.messages.create(asked(clock));
    started.child.kill('SIGTERM');
    expect(await started.ended).toBe(0);
    const path = join(command.directory, 'calls.jsonl');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const log = await readFile(path, 'utf8');
    expect(log).not.toContain('sk-ant-secret');
    expect(
      log
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).body),
    ).toEqual(server.requests.map(({ bodyText }) => JSON.parse(bodyText)));
    const { ended, out } = command.start(['diagnose', 'calls.jsonl', '--json']);
    await ended;
    const logged = JSON.parse(out()).calls.map((call: Record<string, unknown>) => call.tokens);
    expect(logged).toEqual((await command.calls()).map(({ tokens }) => tokens));
  });

  it('lets a running stream come to its end when it is stopped', async () => {
    let letGo = (): void => undefined;
    mayAnswer = new Promise((resolve) => {
      letGo = resolve;
    });
    const started = command.start(['proxy', '--target', server.url]);
    const client = await clientOf(started);
    const pending = client.messages.create({ ...asked('10:00:30'), stream: true });
    const types = pending.then(async (stream) => {
      const seen: string[] = [];
      for await (const { type } of stream) seen.push(type);
      return seen;
    });
    await expect.poll(() => server.requests.length, PATIENT).toBe(1);
    started.child.kill('SIGINT');
    await expect
      .poll(started.out, PATIENT)
      .toContain('Waiting for what is running; Ctrl-C again breaks it off.');
    letGo();
    expect((await types).at(-1)).toBe('message_stop');
    expect(await started.ended).toBe(0);
    expect(started.out()).toMatch(/\n1 call, no finding/);
  });

  it('breaks a running stream off when it is told again', async () => {
    const started = command.start(['proxy', '--target', server.url]);
    const client = await clientOf(started);
    server.failNext({ kind: 'endless' });
    const stream = await client.messages.create({ ...asked('10:00:30'), stream: true });
    const reading = (async () => {
      for await (const _ of stream);
    })();
    const failed = expect(reading).rejects.toThrow();
    started.child.kill('SIGINT');
    await expect.poll(started.out, PATIENT).toContain('Waiting for what is running');
    started.child.kill('SIGINT');
    await failed;
    expect(await started.ended).toBe(0);
    expect(started.out()).toMatch(/\n1 call, no finding/);
  });

  it.each([
    [
      ['--target', 'api.anthropic.com'],
      /^prefixtrace: cannot use api\.anthropic\.com as a target: it is no URL/,
    ],
    [['--target', 'ftp://x'], /^prefixtrace: cannot use ftp:\/\/x as a target: it is neither http/],
    [
      ['--target', 'http://x', '--port', 'many'],
      /^prefixtrace: cannot listen on port many: expected a number/,
    ],
    [
      ['--target', 'http://x', '--log', 'no/such.jsonl'],
      /^prefixtrace: cannot write no\/such\.jsonl: no such file/,
    ],
    [[], /^prefixtrace: required option '--target <url>' not specified/],
  ])('answers %j with one line and exit code 2', async (words, message) => {
    const { ended, out, err } = command.start(['proxy', ...words]);
    expect([await ended, out()]).toEqual([2, '']);
    expect(err()).toMatch(message);
    expect(err().trimEnd().split('\n').length).toBe(1);
  });

  it.skipIf(spawnSync('openssl', ['version']).status !== 0)('reaches a target by HTTPS', async () => {
    const words =
      'req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=DNS:localhost';
    const files = ['-keyout', 'key.pem', '-out', 'certificate.pem'];
    spawnSync('openssl', [...words.split(' '), ...files], { cwd: command.directory });
    const [key, cert] = await Promise.all(
      ['key.pem', 'certificate.pem'].map((name) => readFile(join(command.directory, name))),
    );
    const secure = createHttpsServer({ key, cert }, (incoming, response) => {
      const onward = request(server.url + incoming.url, { method: 'POST', headers: incoming.headers });
      onward.on('response', (answer) =>
        answer.pipe(response.writeHead(answer.statusCode ?? 0, answer.headers)),
      );
      incoming.pipe(onward);
    });
    await once(secure.listen(0), 'listening');
    const { port } = secure.address() as AddressInfo;
    const started = command.start(['proxy', '--target', `https://localhost:${port}`], {
      NODE_EXTRA_CA_CERTS: join(command.directory, 'certificate.pem'),
    });
    const client = await clientOf(started);
    expect((await client.messages.create(asked('10:00:30'))).type).toBe('message');
    started.child.kill('SIGTERM');
    await started.ended;
    expect(started.out()).toMatch(/\n1 call, no finding/);
    secure.close();
  });

  it('says so where its port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { ended, err } = command.start(['proxy', '--target', 'http://x', '--port', String(port)]);
    expect(await ended).toBe(2);
    expect(err()).toBe(
      `prefixtrace: cannot listen on port ${port}: it is taken; stop what uses it, or name another port\n`,
    );
    other.close();
  });

  it('listens on loopback alone', async () => {
    const started = command.start(['proxy', '--target', server.url]);
    const { baseURL } = await clientOf(started);
    const { port } = new URL(baseURL);
    const hex = Number(port).toString(16).toUpperCase().padStart(4, '0');
    const table = await readFile('/proc/net/tcp', 'utf8').catch(() => `0100007F:${hex}`);
    expect(table).toContain(`0100007F:${hex}`);
    expect(table).not.toContain(`00000000:${hex}`);
    started.child.kill('SIGTERM');
    await started.ended;
  });
});
