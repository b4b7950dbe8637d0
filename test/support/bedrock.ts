/**
 * Clients of `@aws-sdk/client-bedrock-runtime` over each of its transports, and calls of its four operations.
 */
import {
  BedrockRuntime,
  type BedrockRuntimeClient,
  type BedrockRuntimeClientConfig,
  ConverseCommand,
  type ConverseCommandInput,
  ConverseStreamCommand,
  InvokeModelCommand,
  InvokeModelWithResponseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime';
import { FetchHttpHandler } from '@smithy/fetch-http-handler';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { collect } from './attempts.ts';

export const MODEL_ID = 'us.anthropic.claude-sonnet-4-6-20260115-v1:0';

/** HTTP/2 is what the SDK takes by itself. */
export const TRANSPORTS: readonly {
  readonly name: string;
  newHandler(): BedrockRuntimeClientConfig['requestHandler'];
}[] = [
  { name: 'HTTP/2', newHandler: () => undefined },
  { name: 'HTTP/1.1', newHandler: () => new NodeHttpHandler() },
  { name: 'fetch', newHandler: () => new FetchHttpHandler() },
];

export function newBedrockClient(
  url: string,
  requestHandler?: BedrockRuntimeClientConfig['requestHandler'],
  options: Partial<BedrockRuntimeClientConfig> = {},
): BedrockRuntime {
  return new BedrockRuntime({
    region: 'us-east-1',
    endpoint: url,
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret-of-the-test' },
    retryMode: 'standard',
    maxAttempts: 1,
    ...(requestHandler && { requestHandler }),
    ...options,
  });
}

export interface BedrockOperation {
  readonly name: string;
  readonly api: 'bedrock.converse' | 'anthropic.messages';
  readonly isStreaming: boolean;
  /** Sends and reads all, or so many events of a stream. */
  call(client: BedrockRuntimeClient, text: string, options?: BedrockCallOptions): Promise<unknown>;
}

interface BedrockCallOptions {
  readonly abortSignal?: AbortSignal;
  readonly eventLimit?: number;
  onEvent?(): void;
}

export function converseInput(text: string): ConverseCommandInput {
  return {
    modelId: MODEL_ID,
    system: [{ text: 'word '.repeat(2000) }, { cachePoint: { type: 'default' } }],
    messages: [{ role: 'user', content: [{ text }] }],
  };
}

function anthropicBody(text: string): string {
  return JSON.stringify({
    anthropic_version: 'bedrock-2023-05-31',
    max_tokens: 64,
    system: [{ type: 'text', text: 'word '.repeat(2000), cache_control: { type: 'ephemeral' } }],
    messages: [{ role: 'user', content: text }],
  });
}

export const CONVERSE: BedrockOperation = {
  name: 'Converse',
  api: 'bedrock.converse',
  isStreaming: false,
  call: (client, text, options) =>
    client.send(new ConverseCommand(converseInput(text)), sendOptions(options)),
};

export const CONVERSE_STREAM: BedrockOperation = {
  name: 'ConverseStream',
  api: 'bedrock.converse',
  isStreaming: true,
  async call(client, text, options) {
    const { stream, ...rest } = await client.send(
      new ConverseStreamCommand(converseInput(text)),
      sendOptions(options),
    );
    return { rest, events: await events(stream, options) };
  },
};

export const INVOKE: BedrockOperation = {
  name: 'InvokeModel',
  api: 'anthropic.messages',
  isStreaming: false,
  async call(client, text, options) {
    const command = new InvokeModelCommand({ modelId: MODEL_ID, body: anthropicBody(text) });
    const { body, ...rest } = await client.send(command, sendOptions(options));
    return { rest, body: body.transformToString() };
  },
};

export const INVOKE_STREAM: BedrockOperation = {
  name: 'InvokeModelWithResponseStream',
  api: 'anthropic.messages',
  isStreaming: true,
  async call(client, text, options) {
    const command = new InvokeModelWithResponseStreamCommand({
      modelId: MODEL_ID,
      body: anthropicBody(text),
    });
    const { body, ...rest } = await client.send(command, sendOptions(options));
    const chunks = (await events(body, options)) as { chunk?: { bytes?: Uint8Array } }[];
    return { rest, events: chunks.map(({ chunk }) => new TextDecoder().decode(chunk?.bytes)) };
  },
};

export const OPERATIONS = [CONVERSE, CONVERSE_STREAM, INVOKE, INVOKE_STREAM] as const;

function sendOptions({ abortSignal }: BedrockCallOptions = {}): { abortSignal?: AbortSignal } {
  return abortSignal === undefined ? {} : { abortSignal };
}

async function events(
  stream: AsyncIterable<unknown> | undefined,
  { eventLimit, onEvent }: BedrockCallOptions = {},
): Promise<unknown[]> {
  if (stream === undefined) return [];
  return collect(told(stream, onEvent), eventLimit);
}

async function* told(
  stream: AsyncIterable<unknown>,
  onEvent: (() => void) | undefined,
): AsyncIterable<unknown> {
  for await (const event of stream) {
    onEvent?.();
    yield event;
  }
}
