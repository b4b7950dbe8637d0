/**
 * One instance of a service: set up by `startPrefixtrace({ heads })`, with the clients that applications have. It makes the calls
 * that its parent asks for. Words: the server's address, the client's package, the model's address; `content` keeps texts.
 */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { observe, startPrefixtrace, withScope } from '../../../src/index.ts';
import { redisHeads } from '../../../src/redis/index.ts';
import { ioRedis, nodeRedis } from '../support/clients.ts';

export interface ServiceCall {
  readonly api: 'anthropic' | 'chat' | 'responses';
  readonly thread: string;
  /** As many questions and answers lie before the question. */
  readonly rounds: number;
  readonly rules: string;
  /** Names the history instead of sending it; Responses alone. */
  readonly previousResponse?: string | undefined;
}

/** `send` is answered when the calls are on their way, `settle` when all of them are over and in the store. */
export type ServiceTask = { readonly send: readonly ServiceCall[] } | { readonly settle: true };

export interface ServiceReply {
  /** Ids of the responses, in the order of their calls. */
  readonly ids: readonly string[];
  /** What the application caught. */
  readonly errors: readonly string[];
  readonly areHeadsReachable: boolean;
}

const [url = '', clientName, modelUrl = '', content] = process.argv.slice(2);
const { client } = await (clientName === 'ioredis' ? ioRedis : nodeRedis)(url);
const heads = redisHeads(client, { content: content === 'content', deadlineMs: 5_000 });
const prefixtrace = startPrefixtrace({ heads, captureContent: content === 'content' });
const anthropic = observe(new Anthropic({ apiKey: 'none', baseURL: modelUrl, maxRetries: 0 }));
const openai = observe(new OpenAI({ apiKey: 'none', baseURL: `${modelUrl}/v1`, maxRetries: 0 }));

const question = (thread: string, round: number) =>
  `Question ${round} of ${thread}: when does the next train leave?`;

function history({ thread, rounds }: ServiceCall) {
  return Array.from({ length: rounds }, (_, round) => [
    { role: 'user' as const, content: question(thread, round) },
    { role: 'assistant' as const, content: `Answer ${round} of ${thread}: at 10:4${round % 10}.` },
  ]).flat();
}

async function make(call: ServiceCall): Promise<string> {
  const { api, thread, rounds, rules, previousResponse } = call;
  const asked = question(thread, rounds);
  const messages = [...history(call), { role: 'user' as const, content: asked }];
  if (api === 'chat') {
    const system = { role: 'system' as const, content: rules };
    return (await openai.chat.completions.create({ model: 'gpt-5.5', messages: [system, ...messages] })).id;
  }
  if (api === 'responses') {
    const input = previousResponse === undefined ? messages : asked;
    return (
      await openai.responses.create({
        ...{ model: 'gpt-5.5', instructions: rules, input },
        ...(previousResponse !== undefined && { previous_response_id: previousResponse }),
      })
    ).id;
  }
  const mark = { cache_control: { type: 'ephemeral' as const } };
  const message = await anthropic.messages.create({
    ...{ model: 'claude-sonnet-5', max_tokens: 16, ...mark },
    system: [{ type: 'text', text: rules, ...mark }],
    messages,
  });
  return message.id;
}

let sent: Promise<string>[] = [];

async function reply(task: ServiceTask): Promise<ServiceReply> {
  const ids: string[] = [];
  const errors: string[] = [];
  if ('send' in task) {
    sent.push(...task.send.map((call) => withScope({ thread: call.thread }, () => make(call))));
    for (const call of sent) call.catch(() => {});
  } else {
    for (const ended of await Promise.allSettled(sent)) {
      if (ended.status === 'fulfilled') ids.push(ended.value);
      else errors.push(String(ended.reason));
    }
    sent = [];
    await prefixtrace.flush();
  }
  return { ids, errors, areHeadsReachable: heads.isReachable };
}

process.on('message', async (task: ServiceTask) => process.send?.(await reply(task)));
process.on('disconnect', () => process.exit());
process.send?.('ready');
