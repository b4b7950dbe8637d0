/** Set-up in programs of their own: what is registered globally, and what happens at the end, only a process can show. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ModelServer, startModelServer } from '../../src/model-server/index.ts';
import { buildProgram, ended, type Program, printed } from '../store/child-process.ts';
import { readAll, temporaryDirectory } from '../store/store-fixture.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../support/otlp-receiver.ts';

let program: Program;
let register: Program;
let server: ModelServer;
let receiver: OtlpReceiver;
beforeAll(async () => {
  [program, register, server, receiver] = await Promise.all([
    buildProgram(new URL('./programs/agent.ts', import.meta.url)),
    buildProgram(new URL('../../src/register.ts', import.meta.url)),
    startModelServer(),
    startOtlpReceiver(),
  ]);
}, 60_000);
afterAll(async () => {
  program.remove();
  register.remove();
  await Promise.all([server.close(), receiver.close()]);
});
afterEach(() => receiver.clear());

const NO_EXPORT = { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_TRACES_EXPORTER: '', OTEL_METRICS_EXPORTER: '' };
const toReceiver = () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
const DIVERGED = ['chat claude-opus-5', 'chat claude-opus-5', 'prompt_cache.divergence'];

function launch(setUp: string, way: string, environment: Record<string, string>) {
  const workingDirectory = temporaryDirectory();
  const child = program.start(workingDirectory, [setUp, way], {
    ...{ ...NO_EXPORT, URL_OF_SERVER: server.url },
    ...environment,
  });
  let output = '';
  child.stdout?.on('data', (text) => {
    output += text;
  });
  return { child, workingDirectory, output: () => output };
}

async function runAgent(setUp: string, way: string, environment: Record<string, string> = {}) {
  const { child, workingDirectory, output } = launch(setUp, way, environment);
  const { code, errors } = await ended(child);
  return { code, errors, output: output(), stored: await stored(workingDirectory) };
}

async function stored(workingDirectory: string): Promise<string[]> {
  const directory = join(workingDirectory, '.prefixtrace');
  return existsSync(directory) ? names(await readAll(directory)) : [];
}

const names = (spans: readonly { name: string }[]) => spans.map(({ name }) => name).sort();
const exported = () => names(receiver.spans);

describe('startPrefixtrace', () => {
  it.each(['before', 'after', 'before+twice'])(
    'exports to where the standard variables say, once, called %s the client is observed',
    async (setUp) => {
      const { code, errors, stored } = await runAgent(setUp, 'natural', toReceiver());
      expect({ code, errors, stored }).toEqual({ code: 0, errors: '', stored: [] });
      expect(exported()).toEqual(DIVERGED);
      expect(receiver.spans[0]?.resource['service.name']).toBe('wedding');
    },
  );

  it.each([
    ['http/protobuf', 'application/x-protobuf'],
    ['http/json', 'application/json'],
  ])('speaks %s where OTEL_EXPORTER_OTLP_PROTOCOL says so', async (protocol, contentType) => {
    await runAgent('before', 'natural', { ...toReceiver(), OTEL_EXPORTER_OTLP_PROTOCOL: protocol });
    expect(exported()).toEqual(DIVERGED);
    expect(receiver.requests.find(({ path }) => path.includes('traces'))?.contentType).toBe(contentType);
  });

  it('speaks gRPC where OTEL_EXPORTER_OTLP_PROTOCOL says so', async () => {
    await runAgent('before', 'natural', {
      ...{ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.grpcUrl, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    });
    expect(exported()).toEqual(DIVERGED);
  });

  it('writes the local store where nothing is set for export', async () => {
    const { code, errors, stored, output } = await runAgent('before', 'natural');
    expect({ code, errors, stored }).toEqual({ code: 0, errors: '', stored: DIVERGED });
    expect(exported()).toEqual([]);
    expect(JSON.parse(output).hasLoadedSdk).toBe(false);
  });

  it.each([
    ['with everything', () => toReceiver()],
    [
      'alone',
      () => ({
        OTEL_METRICS_EXPORTER: 'otlp',
        OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${receiver.url}/v1/metrics`,
      }),
    ],
  ])('exports metrics %s, once at the end, where a variable asks for them', async (_how, environment) => {
    const { code, output } = await runAgent('before', 'natural', environment());
    expect(code).toBe(0);
    expect(JSON.parse(output).hasLoadedSdk).toBe(true);
    expect(receiver.points.filter(({ metric }) => metric === 'application.turns')).toEqual([
      { metric: 'application.turns', unit: '', value: 2, attributes: {} },
    ]);
  });

  it('exports no metrics where only spans are asked for', async () => {
    await runAgent('before', 'natural', { ...toReceiver(), OTEL_METRICS_EXPORTER: 'none' });
    expect(exported()).toEqual(DIVERGED);
    expect(receiver.points).toEqual([]);
  });

  it('keeps no more of prompts than it is told to: one short message is not known again without its text', async () => {
    const { code, errors } = await runAgent('before+forgetful', 'natural', toReceiver());
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(exported()).toEqual(['chat claude-opus-5', 'chat claude-opus-5']);
  });

  it('writes the store and exports, where both are wanted', async () => {
    const { stored } = await runAgent('before+store', 'natural', toReceiver());
    expect(stored).toEqual(DIVERGED);
    expect(exported()).toEqual(DIVERGED);
  });

  it('writes nothing anywhere without a store and without an exporter', async () => {
    expect(await runAgent('before+no-store', 'natural')).toMatchObject({ code: 0, errors: '', stored: [] });
  });

  it.each(['own+before', 'own+after'])(
    'goes through the tracing of the application where there is one (%s) and registers nothing',
    async (setUp) => {
      const { output, errors, stored } = await runAgent(setUp, 'natural', toReceiver());
      expect(JSON.parse(output).ownSpans.sort()).toEqual(DIVERGED);
      expect({ errors, stored, exported: exported() }).toEqual({ errors: '', stored: [], exported: [] });
    },
  );

  it('lets an application with its own tracing write the store as well', async () => {
    const { output, stored } = await runAgent('own+exporter+after', 'natural');
    expect(JSON.parse(output).ownSpans.sort()).toEqual(DIVERGED);
    expect(stored).toEqual(DIVERGED);
  });

  it('falls back to nothing worse than the local store where the SDK cannot start', async () => {
    const { code, errors, stored } = await runAgent('before', 'natural', {
      OTEL_TRACES_EXPORTER: 'no-such-exporter',
    });
    expect({ code, errors, stored }).toEqual({ code: 0, errors: '', stored: DIVERGED });
  });

  it('ends in time, with nothing on the console, where the collector is down', async () => {
    const startedAtMs = Date.now();
    const { code, errors } = await runAgent('before', 'natural', {
      ...{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_EXPORTER_OTLP_TIMEOUT: '1000' },
    });
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(Date.now() - startedAtMs).toBeLessThan(15_000);
  });
});

describe('the end of a process that exports', () => {
  it('loses nothing after flush(), not even by process.exit()', async () => {
    expect(await runAgent('before', 'flush', toReceiver())).toMatchObject({ code: 3, errors: '' });
    expect(exported()).toEqual(DIVERGED);
  });

  it('loses nothing by shutdown()', async () => {
    expect(await runAgent('before', 'shutdown', toReceiver())).toMatchObject({ code: 0, errors: '' });
    expect(exported()).toEqual(DIVERGED);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('exports first and still dies of %s', async (signal) => {
    const { child } = launch('before', 'signal', toReceiver());
    await printed(child, 'ready');
    child.kill(signal);
    expect(await ended(child)).toMatchObject({ code: null, signal });
    expect(exported()).toEqual(DIVERGED);
  });

  it('leaves the end to a host that listens to the signal', async () => {
    const { child, output } = launch('before', 'listens', toReceiver());
    await printed(child, 'ready');
    child.kill('SIGTERM');
    expect(await ended(child)).toMatchObject({ code: 7, signal: null });
    expect(output()).toContain('host cleans up');
    expect(exported()).toEqual(DIVERGED);
  });

  it('dies of a signal within seconds although the collector does not answer', async () => {
    const { child } = launch('before', 'signal', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
    await printed(child, 'ready');
    const killedAtMs = Date.now();
    child.kill('SIGTERM');
    expect(await ended(child)).toMatchObject({ signal: 'SIGTERM' });
    expect(Date.now() - killedAtMs).toBeLessThan(6_000);
  });
});

const registered = () => ({
  ...toReceiver(),
  NODE_OPTIONS: `--import ${pathToFileURL(register.file)}`,
});

describe('prefixtrace/register', () => {
  it('exports from the environment alone', async () => {
    expect(await runAgent('bare', 'natural', registered())).toMatchObject({
      code: 0,
      errors: '',
      stored: [],
    });
    expect(exported()).toEqual(DIVERGED);
  });

  it('stays out of the way of an application that sets up its own tracing after it', async () => {
    const { output, errors } = await runAgent('bare+own-late', 'natural', registered());
    expect(JSON.parse(output).ownSpans.sort()).toEqual(DIVERGED);
    expect({ errors, exported: exported() }).toEqual({ errors: '', exported: [] });
  });

  it('writes the store besides exporting with PREFIXTRACE_STORE=1', async () => {
    const { stored } = await runAgent('bare', 'natural', { ...registered(), PREFIXTRACE_STORE: '1' });
    expect(stored).toEqual(DIVERGED);
    expect(exported()).toEqual(DIVERGED);
  });
});
