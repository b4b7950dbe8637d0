/**
 * The official SDKs behind one structural face, so that one suite of cases runs over all of them.
 */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import OpenAIVersion6 from 'openai-v6';
import {
  anthropicEvents,
  anthropicMessage,
  chatCompletion,
  chatEvents,
  eventReply,
  jsonReply,
  responsesEvents,
  responsesResponse,
} from './model-replies.ts';
import type { ScriptedReply } from './scripted-server.ts';

interface EventStream extends AsyncIterable<unknown> {
  readonly controller: AbortController;
  tee(): [AsyncIterable<unknown>, AsyncIterable<unknown>];
  toReadableStream(): ReadableStream;
}

/** What both SDKs return: a promise with two more ways to the response. */
interface SdkPromise<Data> extends Promise<Data> {
  withResponse(): Promise<{ data: Data; response: Response }>;
  asResponse(): Promise<Response>;
}

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly maxRetries?: number;
}

export interface SdkClient {
  withOptions(options: { fetch?: typeof globalThis.fetch }): unknown;
}

export interface SdkTarget {
  readonly name: string;
  newClient(baseUrl: string, fetch?: typeof globalThis.fetch): SdkClient;
  create(client: SdkClient, text: string, options?: CallOptions): SdkPromise<unknown>;
  stream(client: SdkClient, text: string, options?: CallOptions): SdkPromise<EventStream>;
  readonly jsonReply: ScriptedReply;
  streamReply(afterwards?: ScriptedReply['afterwards'], eventCount?: number): ScriptedReply;
}

const TEXTS = ['Hello', ', ', 'wörld', ' — ', 'bye'];

const anthropic: SdkTarget = {
  name: '@anthropic-ai/sdk messages',
  newClient: (baseURL, fetch) => new Anthropic({ apiKey: 'test-key', baseURL, ...(fetch && { fetch }) }),
  create: (client, text, options) => (client as Anthropic).messages.create(anthropicBody(text), options),
  stream: (client, text, options) =>
    (client as Anthropic).messages.create({ ...anthropicBody(text), stream: true }, options),
  jsonReply: jsonReply(anthropicMessage([{ type: 'text', text: 'Hello' }])),
  streamReply: (afterwards, eventCount) =>
    eventReply(anthropicEvents(TEXTS).slice(0, eventCount), afterwards),
};

function anthropicBody(text: string): Anthropic.MessageCreateParamsNonStreaming {
  return { model: 'claude-opus-5', max_tokens: 64, messages: [{ role: 'user', content: text }] };
}

// The two versions differ in types that matter to nobody here; what is called exists in both.
const OPENAI_VERSIONS = [
  { version: 7, OpenAIClass: OpenAI },
  { version: 6, OpenAIClass: OpenAIVersion6 as unknown as typeof OpenAI },
] as const;

const openaiTargets = OPENAI_VERSIONS.flatMap(({ version, OpenAIClass }): SdkTarget[] => {
  const newClient: SdkTarget['newClient'] = (baseUrl, fetch) =>
    new OpenAIClass({ apiKey: 'test-key', baseURL: `${baseUrl}/v1`, ...(fetch && { fetch }) });
  return [
    {
      name: `openai ${version} chat completions`,
      newClient,
      create: (client, text, options) =>
        (client as OpenAI).chat.completions.create(
          { model: 'gpt-5.5', messages: [{ role: 'user', content: text }] },
          options,
        ),
      stream: (client, text, options) =>
        (client as OpenAI).chat.completions.create(
          {
            model: 'gpt-5.5',
            messages: [{ role: 'user', content: text }],
            stream: true,
            stream_options: { include_usage: true },
          },
          options,
        ),
      jsonReply: jsonReply(chatCompletion({ content: 'Hello' })),
      streamReply: (afterwards, eventCount) => eventReply(chatEvents(TEXTS).slice(0, eventCount), afterwards),
    },
    {
      name: `openai ${version} responses`,
      newClient,
      create: (client, text, options) =>
        (client as OpenAI).responses.create({ model: 'gpt-6.1-sol', input: text }, options),
      stream: (client, text, options) =>
        (client as OpenAI).responses.create({ model: 'gpt-6.1-sol', input: text, stream: true }, options),
      jsonReply: jsonReply(responsesResponse('Hello')),
      streamReply: (afterwards, eventCount) =>
        eventReply(responsesEvents(TEXTS).slice(0, eventCount), afterwards),
    },
  ];
});

export const SDK_TARGETS: readonly SdkTarget[] = [anthropic, ...openaiTargets];
