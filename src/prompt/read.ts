/** Body to prompt: the one entry to the readers. Never throws on data: what cannot be read is named. */
import type { Api, ExchangeRequest, JsonObject } from '../exchange.ts';
import { anthropicMessageReader, readAnthropicMessages } from './anthropic-messages.ts';
import { bedrockMessageReader, readBedrockConverse } from './bedrock-converse.ts';
import { PromptBuilder } from './builder.ts';
import { callerMembersOf } from './caller-members.ts';
import { googleContentReader, readGoogleGenerateContent } from './google-generate-content.ts';
import { isObject } from './leaves.ts';
import { openaiChatMessageReader, readOpenAIChat } from './openai-chat.ts';
import { openaiResponsesItemReader, readOpenAIResponses } from './openai-responses.ts';
import type { Prompt } from './prompt.ts';
import { contextOf, type MessageReader, type Reading, readGrown } from './reading.ts';

interface ApiReader {
  read(body: JsonObject, request: ExchangeRequest, builder: PromptBuilder): Prompt;
  readonly messages: MessageReader;
}

const READERS: Record<Api, ApiReader> = {
  'anthropic.messages': { read: readAnthropicMessages, messages: anthropicMessageReader },
  'openai.chat': { read: readOpenAIChat, messages: openaiChatMessageReader },
  'openai.responses': { read: readOpenAIResponses, messages: openaiResponsesItemReader },
  'google.generateContent': { read: readGoogleGenerateContent, messages: googleContentReader },
  'bedrock.converse': { read: readBedrockConverse, messages: bedrockMessageReader },
};

/** `before`: the reading that this body probably continues; only what is new is then parsed. */
export function readPrompt(
  request: ExchangeRequest,
  before?: Reading | null,
): Reading | { readonly unreadable: string } {
  const reader = READERS[request.api];
  if (!reader) return { unreadable: `the API ${JSON.stringify(request.api)} is not known` };
  try {
    const grown =
      before && typeof request.body === 'string'
        ? readGrown(before, { ...request, body: request.body }, reader.messages)
        : null;
    return grown ?? readWhole(request, reader);
  } catch (error) {
    // A reader that fails on data is a bug of ours; it must cost one diagnosis, not the host's call.
    return {
      unreadable: `the body could not be read: ${error instanceof Error ? error.message : 'unknown error'}`,
    };
  }
}

function readWhole(request: ExchangeRequest, reader: ApiReader): Reading | { readonly unreadable: string } {
  const body = parseBody(request.body);
  if (body === undefined) return { unreadable: 'the body is not a JSON object' };
  const builder = new PromptBuilder();
  const prompt = reader.read(body, request, builder);
  if (prompt.segments.length === prompt.headLength && prompt.missingHistory === null && !hasContent(body)) {
    return { unreadable: 'the body holds no messages' };
  }
  const { segmentsAfter } = builder;
  const text =
    typeof request.body === 'string'
      ? { body: request.body, context: contextOf(request), list: undefined, segmentsAfter }
      : null;
  return { prompt: { ...prompt, callerMembers: callerMembersOf(body) }, text, reusedSegments: 0 };
}

function parseBody(body: string | JsonObject): JsonObject | undefined {
  if (typeof body !== 'string') return isObject(body) ? body : undefined;
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function hasContent(body: JsonObject): boolean {
  return ['messages', 'input', 'contents', 'prompt'].some((field) => body[field] !== undefined);
}
