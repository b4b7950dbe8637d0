/** The receiver behind real exporters: what they send comes out as calls, and they hear what they expect to hear. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Anthropic, * as anthropicModule from '@anthropic-ai/sdk';
import { AnthropicInstrumentation } from '@arizeai/openinference-instrumentation-anthropic';
import { DiagLogLevel, diag, trace } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../cli/run.ts';
import { otlpReceiverSource } from '../../cli/sources/otlp-receiver.ts';
import { diagnoseSpans } from '../../src/index.ts';
import { type ModelServer, startModelServer } from '../../src/model-server/index.ts';
import { createTelemetrySink } from '../../src/telemetry/sink.ts';
import { buildProgram, ended, type Program } from '../store/child-process.ts';
import { temporaryDirectory } from '../store/store-fixture.ts';
import { diagnosedCall, divergedCall, exchangeRequest, exchangeResponse } from '../support/diagnosed-call.ts';
import { registerContextManager, unregisterTracing } from '../telemetry/recorded-spans.ts';
import { capturedContext } from './captured-context.ts';
import { type ReadReceiver, startReadReceiver } from './received-source.ts';

let receiver: ReadReceiver;
let problems: string[];
beforeEach(async () => {
  receiver = await startReadReceiver();
  problems = [];
  const note = (...words: unknown[]) => void problems.push(words.join(' '));
  diag.setLogger({ error: note, warn: note, info() {}, debug() {}, verbose() {} }, DiagLogLevel.WARN);
});
afterEach(async () => {
  diag.disable();
  await receiver.end();
});

type Compression = NonNullable<NonNullable<ConstructorParameters<typeof JsonExporter>[0]>['compression']>;
const GZIP = 'gzip' as Compression; // its enum is not exported with it
const NONE = 'none' as Compression;

const EXPORTERS: [string, (url: string) => SpanExporter][] = [
  ['protobuf', (url) => new ProtobufExporter({ url, compression: NONE })],
  ['protobuf, gzip', (url) => new ProtobufExporter({ url, compression: GZIP })],
  ['JSON', (url) => new JsonExporter({ url, compression: NONE })],
  ['JSON, gzip', (url) => new JsonExporter({ url, compression: GZIP })],
];

describe.each(EXPORTERS)('exported as %s', (_form, newExporter) => {
  it('calls of prefixtrace come out with their divergence, its text and the call that they are compared with', async () => {
    const exporter = newExporter(`${receiver.source.url}/v1/traces`);
    const provider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
    const sink = createTelemetrySink({ tracerProvider: provider, captureContent: true });
    const excerpt = { before: 'It is 10:00 „früh“.', after: 'It is 10:01 „früh“.' };
    sink.open(exchangeRequest()).end(diagnosedCall(), exchangeResponse());
    sink.open(exchangeRequest()).end(divergedCall({}, { excerpt }), exchangeResponse());
    await sink.flush();
    await provider.shutdown();

    const [first, second, ...others] = await receiver.end();
    expect(others).toEqual([]);
    expect(first).toMatchObject({ index: 0, lineage: 'l1', model: 'claude-sonnet-5', divergence: null });
    expect(second).toMatchObject({
      index: 1,
      baseline: 0,
      divergence: { kind: 'tools.reordered', path: 'tools[1]' },
      tokens: { rebilled: 18_176 },
    });
    expect(JSON.stringify(second)).toContain('10:01 „früh“');
    expect(problems).toEqual([]);
  });
});

describe('programs', () => {
  let program: Program;
  let server: ModelServer;
  beforeAll(async () => {
    [program, server] = await Promise.all([
      buildProgram(new URL('../setup/programs/agent.ts', import.meta.url)),
      startModelServer(),
    ]);
  }, 60_000);
  afterAll(async () => {
    program.remove();
    await server.close();
  });

  it.each(['http/protobuf', 'http/json'])(
    'one with startPrefixtrace() exports straight into the receiver, over %s',
    async (protocol) => {
      const child = program.start(temporaryDirectory(), ['before', 'natural'], {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.source.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
        OTEL_TRACES_EXPORTER: '',
        OTEL_METRICS_EXPORTER: 'otlp',
        URL_OF_SERVER: server.url,
      });
      const { code, errors } = await ended(child);
      expect({ code, errors }).toEqual({ code: 0, errors: '' });
      const calls = await receiver.end();
      expect(calls.map(({ model }) => model)).toEqual(['claude-opus-5', 'claude-opus-5']);
      expect(calls.map(({ divergence }) => divergence?.kind)).toEqual([undefined, 'system.timestamp']);
      expect(receiver.source.notes.skippedLines.first).toEqual([]);
    },
  );

  const LONG = 'Be brief and kind. '.repeat(1500);
  const askTwice = async (who: string) => {
    const client = new Anthropic({ apiKey: 'k', baseURL: server.url, openTelemetry: false });
    for (const time of ['10:00', '10:01']) {
      await client.messages.create({
        ...{ model: 'claude-opus-5', max_tokens: 8, cache_control: { type: 'ephemeral' } },
        // Nothing that the server has cached for another test.
        system: `${who}: it is ${time}. ${LONG}`,
        messages: [{ role: 'user', content: 'hi' }],
      });
    }
  };

  it.each([
    ['no word of us: diagnosed here', [], /^traced-l1$/],
    ['diagnoseSpans() of its own: told as it was found there, once', [diagnoseSpans()], /^span-l1$/],
  ])('one with OpenInference and %s', async (name, processors, lineage) => {
    const openInference = new AnthropicInstrumentation();
    openInference.manuallyInstrument(anthropicModule as never); // types of another release of the client
    const exporter = new ProtobufExporter({ url: `${receiver.source.url}/v1/traces` });
    const provider = new BasicTracerProvider({
      spanProcessors: [...processors, new BatchSpanProcessor(exporter)],
    });
    openInference.setTracerProvider(provider);
    registerContextManager();
    trace.setGlobalTracerProvider(provider);
    await askTwice(name);
    await provider.forceFlush();
    await provider.shutdown();
    openInference.disable();
    unregisterTracing();

    const calls = await receiver.end();
    expect(calls.map((call) => [call.index, call.baseline, call.divergence?.kind])).toEqual([
      [0, null, undefined],
      [1, 0, 'system.timestamp'],
    ]);
    for (const call of calls) expect(call.lineage).toMatch(lineage);
    expect(calls[1]).toMatchObject({ finding: true, tokens: { method: 'usage' } });
    expect(receiver.source.notes.unreadable.count).toBe(0);
  });
});

describe('the command', () => {
  it('needs a terminal, and says so in one line', async () => {
    const context = capturedContext();
    expect(await run(['view', '--listen'], context)).toBe(2);
    expect(context.err()).toMatch(/^prefixtrace: view --listen needs a terminal[^\n]*\n$/);
    expect(context.out()).toBe('');
  });

  it.each([
    [['view', '--listen', 'calls.jsonl'], 'cannot listen on port calls.jsonl: expected a number'],
    [['view', '--listen', '99999'], 'cannot listen on port 99999: expected a number'],
    [['view', 'calls.jsonl', '--listen'], '--listen shows what programs send, not calls.jsonl'],
  ])('answers %j with one line', async (words, message) => {
    const context = capturedContext();
    expect(await run(words, context)).toBe(2);
    expect(context.err()).toContain(message);
    expect(context.err().trim()).not.toContain('\n');
  });

  it('says in one line that the port is taken, on either loopback address', async () => {
    for (const host of ['127.0.0.1', '::1']) {
      const other = createServer().listen(0, host);
      const canListen = await new Promise((resolve) =>
        other.on('listening', () => resolve(true)).on('error', () => resolve(false)),
      );
      if (!canListen) continue; // no IPv6 on this machine
      const { port } = other.address() as AddressInfo;
      await expect(otlpReceiverSource({ port })).rejects.toThrow(
        `cannot listen on port ${port}: it is taken; stop what uses it, or name another port`,
      );
      other.close();
    }
  });

  it('frees the port when it is closed, whatever is connected', async () => {
    await receiver.postJson({});
    await receiver.end();
    const port = Number(new URL(receiver.source.url).port);
    await (await otlpReceiverSource({ port })).close();
    await expect(receiver.postJson({})).rejects.toThrow();
  });

  it('says what to set, so that calls come', () => {
    expect(receiver.source.hint).toContain(`OTEL_EXPORTER_OTLP_ENDPOINT=${receiver.source.url}`);
    expect(receiver.source.canFollow).toBe(true);
  });
});
