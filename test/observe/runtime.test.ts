import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallSink } from '../../src/call-sink.ts';
import { createEngine } from '../../src/diagnose.ts';
import type { Diagnosis } from '../../src/diagnosis.ts';
import { diagnose, flush, observe, observeFetch, shutdown, withScope } from '../../src/index.ts';
import { createRecorder } from '../../src/observe/recorder.ts';
import { installRecorder } from '../../src/runtime.ts';
import { recordCalls } from '../support/recorded-calls.ts';
import { type ScriptedServer, startScriptedServer } from '../support/scripted-server.ts';
import { SDK_TARGETS, type SdkTarget } from '../support/sdk-targets.ts';

const [target] = SDK_TARGETS as [SdkTarget];

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
  server.script([target.jsonReply]);
});
afterAll(() => server.close());

/** Takes the place of the process-wide recorder before anything makes one that writes to disk. */
function diagnosed(): Diagnosis[] {
  const diagnoses: Diagnosis[] = [];
  const sink: CallSink = {
    open: () => ({
      end(call) {
        if ('diagnosis' in call) diagnoses.push(call.diagnosis);
      },
    }),
    flush: async () => {},
    shutdown: async () => {},
  };
  installRecorder(createRecorder({ engine: createEngine(), sink }));
  return diagnoses;
}

const body = (system: string) => ({
  model: 'claude-opus-5',
  max_tokens: 8,
  system,
  messages: [{ role: 'user' as const, content: 'hi' }],
});

describe('the live pipeline', () => {
  it('says where two calls of one conversation differ, and the same offline', async () => {
    const diagnoses = diagnosed();
    const client = observe(new Anthropic({ apiKey: 'k', baseURL: server.url }));
    await withScope({ thread: 't' }, async () => {
      await client.messages.create(body('It is 10:00.'));
      await client.messages.create(body('It is 10:01.'));
    });
    await flush();
    expect(diagnoses.map(({ divergence }) => divergence?.component ?? null)).toEqual([null, 'system']);

    const offline = await diagnose(
      server.received.map((request) => ({
        api: 'anthropic.messages',
        body: request.body,
        scope: { thread: 't' },
      })),
    );
    expect(offline.map(({ divergence }) => divergence?.path)).toEqual(
      diagnoses.map(({ divergence }) => divergence?.path),
    );
  });

  it('goes on serving observed clients after shutdown, without recording', async () => {
    const recorded = recordCalls();
    installRecorder(recorded.recorder);
    const fetch = observeFetch();
    const post = async (): Promise<unknown> => {
      const response = await fetch(`${server.url}/v1/messages`, {
        method: 'POST',
        body: JSON.stringify(body('x')),
      });
      return response.json();
    };
    await post();
    await shutdown();
    expect(await post()).toMatchObject({ id: 'msg_1' });
    expect(recorded.calls).toHaveLength(1);
  });
});
