import Anthropic from '@anthropic-ai/sdk';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, type ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallSink } from '../../src/call-sink.ts';
import { observeClient } from '../../src/observe/observe-client.ts';
import { createRecorder } from '../../src/observe/recorder.ts';
import { collect } from '../support/attempts.ts';
import { type ScriptedServer, startScriptedServer } from '../support/scripted-server.ts';
import { SDK_TARGETS, type SdkTarget } from '../support/sdk-targets.ts';

const [anthropic] = SDK_TARGETS as [SdkTarget];

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new BasicTracerProvider());
});
afterAll(async () => {
  trace.disable();
  context.disable();
  await server.close();
});

describe("the span that Anthropic's SDK makes itself", () => {
  it.each(['create', 'stream'] as const)(
    'is active when a call opens and still open when it ends: %s',
    async (method) => {
      const seen: unknown[] = [];
      const sink: CallSink = {
        open() {
          const span = trace.getActiveSpan();
          seen.push((span as unknown as ReadableSpan).attributes['gen_ai.operation.name']);
          return { end: () => void seen.push(span?.isRecording()) };
        },
        flush: async () => {},
        shutdown: async () => {},
      };
      const engine = { start: () => ({ finish: () => ({ unreadable: 'fake' }), abandon: () => {} }) };
      const recorder = createRecorder({ engine, sink });
      await recorder.flush();
      const client = observeClient(new Anthropic({ apiKey: 'k', baseURL: server.url }), {}, () => recorder);
      server.script([method === 'create' ? anthropic.jsonReply : anthropic.streamReply()]);
      if (method === 'create') await anthropic.create(client, 'hi');
      else await collect(await anthropic.stream(client, 'hi'));
      expect(seen).toEqual(['chat', true]);
    },
  );
});
