/** Instances of one service on the built-in model server, each with a client of its own and the heads that they share. */
import Anthropic from '@anthropic-ai/sdk';
import type { CallSink } from '../../../src/call-sink.ts';
import { createEngine } from '../../../src/diagnose.ts';
import type { Diagnosis } from '../../../src/diagnosis.ts';
import type { HeadStore } from '../../../src/lineage/shared/head-store.ts';
import { observeClient } from '../../../src/observe/observe-client.ts';
import { createRecorder } from '../../../src/observe/recorder.ts';
import { withScope } from '../../../src/observe/scope.ts';

export interface Instance {
  /** Sends a conversation of so many rounds, and waits for what is made of it. */
  tell(name: string, rounds: number, system?: string): Promise<void>;
  /** The same without waiting for more than the answer. */
  send(name: string, rounds: number, system?: string): Promise<Anthropic.Message>;
  /** In the order in which calls ended. */
  readonly diagnoses: Diagnosis[];
  readonly unreadable: string[];
  flush(): Promise<void>;
}

export function instance(url: string, heads: HeadStore | undefined): Instance {
  const diagnoses: Diagnosis[] = [];
  const unreadable: string[] = [];
  const sink: CallSink = {
    open: () => ({
      end(call) {
        if ('diagnosis' in call) diagnoses.push(call.diagnosis);
        else unreadable.push(call.unreadable);
      },
    }),
    flush: async () => {},
    shutdown: async () => {},
  };
  const recorder = createRecorder({ engine: createEngine({ heads }), sink, maxWaitingCalls: 10_000 });
  const client = new Anthropic({ apiKey: 'none', baseURL: url, maxRetries: 0 });
  const observed = observeClient(client, {}, () => recorder);
  const send = (name: string, rounds: number, system?: string) =>
    withScope({ thread: name }, () => observed.messages.create(conversation(name, rounds, system)));
  return {
    send,
    async tell(name, rounds, system) {
      await send(name, rounds, system);
      await recorder.flush();
    },
    diagnoses,
    unreadable,
    flush: () => recorder.flush(),
  };
}

const MARK = { cache_control: { type: 'ephemeral' as const } };
const RULES = 'You plan journeys by rail and answer with times, platforms and fares. '.repeat(80);

/** A conversation of so many rounds; `system` takes the place of its rules. */
function conversation(
  name: string,
  rounds: number,
  system = RULES,
): Anthropic.MessageCreateParamsNonStreaming {
  const said = Array.from({ length: rounds }, (_, round) => [
    { role: 'user' as const, content: `Question ${round} of ${name}: when does the next train leave?` },
    {
      role: 'assistant' as const,
      content: `Answer ${round} of ${name}: at 10:4${round % 10} from platform 7.`,
    },
  ]).flat();
  const text = `Question ${rounds} of ${name}: when does the next train leave?`;
  const last = [{ type: 'text' as const, text, ...MARK }];
  return {
    model: 'claude-sonnet-5',
    max_tokens: 16,
    system: [{ type: 'text', text: system, ...MARK }],
    messages: [...said, { role: 'user', content: last }],
  };
}

/** Waits until a condition holds; the test's own timeout is the limit. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}
