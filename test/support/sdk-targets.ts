/**
 * The official SDKs behind one structural face, so that one suite of cases runs over all of them.
 */
import Anthropic from '@anthropic-ai/sdk';
import AnthropicVersion0 from 'anthropic-v0';
import Groq from 'groq-sdk';
import OpenAI from 'openai';
import OpenAIVersion4 from 'openai-v4';
import OpenAIVersion5 from 'openai-v5';
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

/** Each target knows the class of its own; the cases see none of it. */
export type SdkClient = object;

/** How the transport of a client names a connection that was cut. */
interface CutConnection {
  readonly message: string;
  readonly code: string;
}

export interface SdkTarget {
  readonly name: string;
  /** The newest and the oldest of a vendor run all that there is, those between them the cases that tell versions apart. */
  readonly isBetween: boolean;
  /** Cases that this version has no method for, or no such object, and why. */
  readonly lacks: Readonly<Record<string, string>>;
  readonly cutConnection: CutConnection;
  newClient(baseUrl: string, fetch?: typeof globalThis.fetch): SdkClient;
  create(client: SdkClient, text: string, options?: CallOptions): SdkPromise<unknown>;
  stream(client: SdkClient, text: string, options?: CallOptions): SdkPromise<EventStream>;
  readonly jsonReply: ScriptedReply;
  streamReply(afterwards?: ScriptedReply['afterwards'], eventCount?: number): ScriptedReply;
}

const TEXTS = ['Hello', ', ', 'wörld', ' — ', 'bye'];

const UNDICI: CutConnection = { message: 'terminated', code: 'UND_ERR_SOCKET' };
const NODE_FETCH: CutConnection = { message: 'Premature close', code: 'ERR_STREAM_PREMATURE_CLOSE' };

// Versions differ in types that matter to nobody here; what is called exists in all, or is named in `lacks`.
const ANTHROPIC_VERSIONS = [
  { name: '@anthropic-ai/sdk', AnthropicClass: Anthropic, lacks: {} },
  {
    name: '@anthropic-ai/sdk 0.50',
    AnthropicClass: AnthropicVersion0 as unknown as typeof Anthropic,
    lacks: { 'parse()': 'came with 0.72', 'the tool runner': 'came with 0.63' },
  },
];

const anthropicTargets = ANTHROPIC_VERSIONS.map(
  ({ name, AnthropicClass, lacks }): SdkTarget => ({
    name: `${name} messages`,
    isBetween: false,
    lacks,
    cutConnection: UNDICI,
    newClient: (baseURL, fetch) =>
      new AnthropicClass({ apiKey: 'test-key', baseURL, ...(fetch && { fetch }) }),
    create: (client, text, options) => (client as Anthropic).messages.create(anthropicBody(text), options),
    stream: (client, text, options) =>
      (client as Anthropic).messages.create({ ...anthropicBody(text), stream: true }, options),
    jsonReply: jsonReply(anthropicMessage([{ type: 'text', text: 'Hello' }])),
    streamReply: (afterwards, eventCount) =>
      eventReply(anthropicEvents(TEXTS).slice(0, eventCount), afterwards),
  }),
);

function anthropicBody(text: string): Anthropic.MessageCreateParamsNonStreaming {
  return { model: 'claude-opus-5', max_tokens: 64, messages: [{ role: 'user', content: text }] };
}

type Calls = Pick<SdkTarget, 'create' | 'stream' | 'jsonReply' | 'streamReply'>;

const CHAT: Calls = {
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
};

const NO_READER = 'the body of its own transport is a Node stream';

const OPENAI_VERSIONS = [
  {
    version: 7,
    OpenAIClass: OpenAI,
    isBetween: false,
    lacks: {},
    cutConnection: UNDICI,
  },
  {
    version: 6,
    OpenAIClass: OpenAIVersion6 as unknown as typeof OpenAI,
    isBetween: true,
    lacks: {},
    cutConnection: UNDICI,
  },
  {
    version: 5,
    OpenAIClass: OpenAIVersion5 as unknown as typeof OpenAI,
    isBetween: true,
    lacks: {},
    cutConnection: UNDICI,
  },
  {
    version: 4,
    OpenAIClass: OpenAIVersion4 as unknown as typeof OpenAI,
    isBetween: false,
    lacks: {
      'asResponse, read into a buffer of the caller': NO_READER,
      'a call through withOptions()': 'came with 5',
    },
    cutConnection: NODE_FETCH,
  },
] as const;

const openaiTargets = OPENAI_VERSIONS.flatMap(({ version, OpenAIClass, ...traits }): SdkTarget[] => {
  const newClient: SdkTarget['newClient'] = (baseUrl, fetch) =>
    new OpenAIClass({ apiKey: 'test-key', baseURL: `${baseUrl}/v1`, ...(fetch && { fetch }) });
  return [
    { name: `openai ${version} chat completions`, ...traits, newClient, ...CHAT },
    {
      name: `openai ${version} responses`,
      ...traits,
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

const NO_HELPERS = 'this SDK has create() alone';

const groq: SdkTarget = {
  name: 'groq-sdk chat completions',
  isBetween: true,
  lacks: { 'the stream() helper': NO_HELPERS, 'parse()': NO_HELPERS, 'the tool runner': NO_HELPERS },
  cutConnection: UNDICI,
  newClient: (baseURL, fetch) => new Groq({ apiKey: 'test-key', baseURL, ...(fetch && { fetch }) }),
  ...CHAT,
};

const [anthropicNewest, ...anthropicOlder] = anthropicTargets as [SdkTarget, ...SdkTarget[]];

export const SDK_TARGETS: readonly SdkTarget[] = [anthropicNewest, ...openaiTargets, ...anthropicOlder, groq];
