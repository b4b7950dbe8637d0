/**
 * The helpers that each SDK builds on its own `create`: they reach into its promise and its stream, and break first.
 */
import type Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { jsonSchemaOutputFormat } from '@anthropic-ai/sdk/helpers/json-schema';
import type OpenAI from 'openai';
import { anthropicMessage, chatCompletion, jsonReply, responsesResponse } from './model-replies.ts';
import type { SdkClient, SdkTarget } from './sdk-targets.ts';
import type { TransparencyCase } from './transparency-cases.ts';

const ANSWER_SCHEMA = {
  type: 'object',
  properties: { answer: { type: 'number' } },
  required: ['answer'],
  additionalProperties: false,
} as const;
const ANSWER = '{"answer":42}';

export function helperCases(target: SdkTarget): readonly TransparencyCase[] {
  if (target.name.includes('anthropic')) return ANTHROPIC_CASES;
  return target.name.includes('chat') ? CHAT_CASES : RESPONSES_CASES;
}

const QUESTION = [{ role: 'user', content: 'What is it?' }] as const;

const ANTHROPIC_CASES: readonly TransparencyCase[] = [
  {
    name: 'the stream() helper',
    replies: (target) => [target.streamReply()],
    async run(_, client) {
      const texts: string[] = [];
      const stream = (client as Anthropic).messages
        .stream({ model: 'claude-opus-5', max_tokens: 64, messages: [...QUESTION] })
        .on('text', (text) => texts.push(text));
      const message = await stream.finalMessage();
      return { texts, message, requestId: stream.request_id };
    },
  },
  {
    name: 'parse()',
    replies: () => [jsonReply(anthropicMessage([{ type: 'text', text: ANSWER }]))],
    run: (_, client) =>
      (client as Anthropic).messages.parse({
        model: 'claude-opus-5',
        max_tokens: 64,
        messages: [...QUESTION],
        output_config: { format: jsonSchemaOutputFormat(ANSWER_SCHEMA) },
      }),
  },
  {
    name: 'the tool runner',
    replies: () => [
      jsonReply(
        anthropicMessage(
          [{ type: 'tool_use', id: 'toolu_1', name: 'add', input: { a: 40, b: 2 } }],
          'tool_use',
        ),
      ),
      jsonReply(anthropicMessage([{ type: 'text', text: '42' }])),
    ],
    async run(_, client) {
      const add = betaTool({
        name: 'add',
        description: 'Adds two numbers.',
        inputSchema: {
          type: 'object',
          properties: { a: { type: 'number' }, b: { type: 'number' } },
          required: ['a', 'b'],
        },
        run: ({ a, b }) => String(a + b),
      });
      return (client as Anthropic).beta.messages.toolRunner({
        model: 'claude-opus-5',
        max_tokens: 64,
        messages: [...QUESTION],
        tools: [add],
      });
    },
  },
  {
    name: 'a beta call through withOptions()',
    replies: (target) => [target.jsonReply],
    run: (_, client) =>
      (client as Anthropic).withOptions({ defaultHeaders: { 'x-team': 'search' } }).beta.messages.create({
        model: 'claude-opus-5',
        max_tokens: 64,
        messages: [...QUESTION],
        betas: ['a-beta'],
      }),
  },
];

/** The helpers moved out of `beta` with openai 5. */
function chatHelpers(client: SdkClient): OpenAI['chat']['completions'] {
  const { chat, beta } = client as OpenAI;
  return 'parse' in chat.completions
    ? chat.completions
    : (beta as unknown as Pick<OpenAI, 'chat'>).chat.completions;
}

const CHAT_CASES: readonly TransparencyCase[] = [
  {
    name: 'the stream() helper',
    replies: (target) => [target.streamReply()],
    async run(_, client) {
      const contents: string[] = [];
      const stream = chatHelpers(client)
        .stream({ model: 'gpt-5.5', messages: [...QUESTION], stream_options: { include_usage: true } })
        .on('content', (delta) => contents.push(delta));
      const completion = await stream.finalChatCompletion();
      return { contents, completion, usage: await stream.totalUsage() };
    },
  },
  {
    name: 'parse()',
    replies: () => [jsonReply(chatCompletion({ content: ANSWER }))],
    run: (_, client) =>
      chatHelpers(client).parse({
        model: 'gpt-5.5',
        messages: [...QUESTION],
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'answer', schema: ANSWER_SCHEMA, strict: true },
        },
      }),
  },
  {
    name: 'the tool runner',
    replies: () => [
      jsonReply(
        chatCompletion(
          {
            content: null,
            tool_calls: [
              { id: 'call_1', type: 'function', function: { name: 'add', arguments: '{"a":40,"b":2}' } },
            ],
          },
          'tool_calls',
        ),
      ),
      jsonReply(chatCompletion({ content: '42' })),
    ],
    async run(_, client) {
      const runner = chatHelpers(client).runTools({
        model: 'gpt-5.5',
        messages: [...QUESTION],
        tools: [
          {
            type: 'function',
            function: {
              name: 'add',
              description: 'Adds two numbers.',
              parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
              parse: (text: string) => JSON.parse(text) as { a: number; b: number },
              function: ({ a, b }: { a: number; b: number }) => String(a + b),
            },
          },
        ],
      });
      return { content: await runner.finalContent(), messages: runner.messages };
    },
  },
];

const RESPONSES_CASES: readonly TransparencyCase[] = [
  {
    name: 'the stream() helper',
    replies: (target) => [target.streamReply()],
    async run(_, client) {
      const deltas: string[] = [];
      const stream = (client as OpenAI).responses
        .stream({ model: 'gpt-6.1-sol', input: 'What is it?' })
        .on('response.output_text.delta', ({ delta }) => deltas.push(delta));
      return { response: await stream.finalResponse(), deltas };
    },
  },
  {
    name: 'parse()',
    replies: () => [jsonReply(responsesResponse(ANSWER))],
    run: (_, client) =>
      (client as OpenAI).responses.parse({
        model: 'gpt-6.1-sol',
        input: 'What is it?',
        text: { format: { type: 'json_schema', name: 'answer', schema: ANSWER_SCHEMA, strict: true } },
      }),
  },
  {
    name: 'a call through withOptions()',
    replies: (target) => [target.jsonReply],
    run: (_, client) =>
      (client as OpenAI)
        .withOptions({ defaultHeaders: { 'x-team': 'search' } })
        .responses.create({ model: 'gpt-6.1-sol', input: 'What is it?' }),
  },
];
