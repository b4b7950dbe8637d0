/**
 * Prompts as traces hold them → the request body of an API: OpenTelemetry's GenAI messages (parts), chat messages,
 * Responses items, and LangChain's messages. It is a form of the prompt that somebody normalised, not the wire's: cache
 * marks and settings are missing from it.
 */
import type { Api, JsonObject, JsonValue } from '../exchange.ts';
import { isJsonObject, objectIn, stringIn } from '../json-value.ts';
import { guessApi } from '../prompt/guess-api.ts';

export interface TracedPrompt {
  readonly model: string | undefined;
  /** As the trace names it: `anthropic`, `openai`, `gcp.gemini` … */
  readonly provider: string | undefined;
  readonly messages: readonly JsonObject[];
  readonly instructions?: readonly JsonObject[] | undefined;
  readonly tools?: readonly JsonObject[] | undefined;
  /** The answer shows that it was the Responses API; a first turn's messages do not. */
  readonly isResponses?: boolean | undefined;
}

export interface TracedBody {
  readonly api: Api;
  readonly body: JsonObject;
}

/** `undefined`: the messages are of no form that we know. */
export function tracedBody(prompt: TracedPrompt): TracedBody | undefined {
  const { messages, model, tools } = prompt;
  if (messages.some(({ parts }) => Array.isArray(parts))) {
    return isAnthropic(prompt) ? anthropicBody(prompt) : chatBody(prompt);
  }
  const items = messages.map(fromLangChain);
  const isResponses =
    prompt.isResponses || items.some(({ type, role }) => role === undefined && typeof type === 'string');
  if (!isResponses && !items.every(({ role }) => typeof role === 'string')) return undefined;
  const system = (prompt.instructions ?? []).map(contentOf).join('\n');
  if (isResponses) {
    return {
      api: 'openai.responses',
      body: { model, instructions: system || undefined, tools, input: items },
    };
  }
  const leading = system === '' ? [] : [{ role: 'system', content: system }];
  const body = { model, tools, messages: [...leading, ...items] };
  // The form decides: blocks of Anthropic's are not chat parts.
  const api = guessApi(body) === 'anthropic.messages' ? 'anthropic.messages' : 'openai.chat';
  return { api, body };
}

/** A value that a trace holds as JSON text, at times twice over. */
export function unpacked(value: unknown): unknown {
  let result = value;
  for (let round = 0; round < 2 && typeof result === 'string' && /^\s*["[{]/.test(result); round++) {
    try {
      result = JSON.parse(result);
    } catch {
      break;
    }
  }
  return result;
}

export function objectsIn(value: unknown): JsonObject[] | undefined {
  return Array.isArray(value) ? value.filter(isJsonObject) : undefined;
}

function isAnthropic({ provider, model }: TracedPrompt): boolean {
  return provider === 'anthropic' || (provider === undefined && /^claude/.test(model ?? ''));
}

function anthropicBody({ model, messages, instructions, tools }: TracedPrompt): TracedBody {
  const isSystem = ({ role }: JsonObject) => role === 'system';
  const system = [...(instructions ?? []), ...messages.filter(isSystem).flatMap(partsOf)].map(anthropicBlock);
  return {
    api: 'anthropic.messages',
    body: {
      model,
      tools: tools?.map(({ name, description, parameters }) => ({
        name,
        description,
        input_schema: parameters,
      })),
      ...(system.length > 0 && { system }),
      messages: messages
        .filter((message) => !isSystem(message))
        // Results of tools stand in user messages there.
        .map((message) => ({
          role: message.role === 'assistant' ? 'assistant' : 'user',
          content: partsOf(message).map(anthropicBlock),
        })),
    },
  };
}

function anthropicBlock(part: JsonObject): JsonObject {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: contentOf(part) };
    case 'reasoning':
      return { type: 'thinking', thinking: contentOf(part) };
    case 'tool_call':
      return { type: 'tool_use', id: part.id, name: part.name, input: unpacked(part.arguments) as JsonValue };
    case 'tool_call_response':
      return { type: 'tool_result', tool_use_id: part.id, content: resultText(part) };
    default:
      return part;
  }
}

function chatBody({ model, messages, instructions, tools }: TracedPrompt): TracedBody {
  const leading = instructions?.length ? [{ role: 'system', content: instructions.map(chatPart) }] : [];
  return {
    api: 'openai.chat',
    body: {
      model,
      tools: tools?.map(({ type, ...definition }) =>
        isJsonObject(definition.function)
          ? { type, ...definition }
          : { type: 'function', function: definition },
      ),
      messages: [...leading, ...messages.flatMap(chatMessages)],
    },
  };
}

/** One message of the trace is several of the API where it holds results of tools. */
function chatMessages(message: JsonObject): JsonObject[] {
  const parts = partsOf(message);
  const ofType = (type: string) => parts.filter((part) => part.type === type);
  const results = ofType('tool_call_response').map((part) => ({
    role: 'tool',
    tool_call_id: part.id,
    content: resultText(part),
  }));
  const content = parts.filter(
    ({ type }) => !['tool_call', 'tool_call_response', 'reasoning'].includes(String(type)),
  );
  const reasoning = ofType('reasoning').map(contentOf).join('\n');
  const calls = ofType('tool_call').map(({ id, name, arguments: input }) => ({
    id,
    type: 'function',
    function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input ?? {}) },
  }));
  if (content.length === 0 && calls.length === 0 && reasoning === '') return results;
  const own = {
    role: stringIn(message.role) ?? 'user',
    content: content.map(chatPart),
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return [own, ...results];
}

function chatPart(part: JsonObject): JsonObject {
  return part.type === 'text' ? { type: 'text', text: contentOf(part) } : part;
}

function partsOf({ parts, content }: JsonObject): JsonObject[] {
  return (
    objectsIn(parts) ??
    (typeof content === 'string' ? [{ type: 'text', content }] : (objectsIn(content) ?? []))
  );
}

function contentOf({ content, text }: JsonObject): string {
  const value = content ?? text ?? '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** `response` in the conventions, `result` in older instrumentations. */
function resultText({ response, result }: JsonObject): string {
  const value = response ?? result ?? '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const LANGCHAIN_ROLES: Readonly<Record<string, string>> = {
  human: 'user',
  ai: 'assistant',
  system: 'system',
  tool: 'tool',
  HumanMessage: 'user',
  AIMessage: 'assistant',
  SystemMessage: 'system',
  ToolMessage: 'tool',
};

/** LangChain names the speaker in `type`, or in the last part of the serialised class's `id`. */
function fromLangChain(message: JsonObject): JsonObject {
  if (message.role !== undefined) return message;
  const kind = Array.isArray(message.id) ? String(message.id.at(-1)) : String(message.type);
  const role = LANGCHAIN_ROLES[kind];
  if (role === undefined) return message;
  const { content, tool_calls, tool_call_id } = objectIn(message.kwargs) ?? objectIn(message.data) ?? message;
  return {
    role,
    content,
    ...(Array.isArray(tool_calls) && tool_calls.length > 0 && { tool_calls }),
    ...(typeof tool_call_id === 'string' && { tool_call_id }),
  };
}
