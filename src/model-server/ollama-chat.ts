/**
 * Ollama's own API: `POST /api/chat`, lines of JSON. Shapes follow https://docs.ollama.com/api/chat and the types of `ollama`
 * 0.6.4.
 *
 * The runner reuses the longest common start with what it holds, token by token, until `keep_alive` unloads it. It holds
 * one prompt a slot; this server keeps them all. The answer does not say what was reused: `prompt_eval_count` is all of it.
 */
import type { Answer, AnswerContext, ApiModule } from './answer.ts';
import { ProviderError } from './provider-error.ts';
import { objectsOf, renderFields, type Segment, stringOf, tokensOfText } from './segments.ts';
import type { Pieces } from './sse.ts';
import type { JsonObject, ModelRequest } from './types.ts';

const DEFAULT_KEEP_ALIVE_MS = 5 * 60_000;

export const ollamaChat: ApiModule = {
  api: 'ollama.chat',
  path: /^\/api\/chat$/,
  // Streams unless told otherwise.
  isStreaming: (body) => body.stream !== false,
  streamType: 'application/x-ndjson',
  requestIdHeader: 'x-request-id',

  answer({ body, model }: ModelRequest, { state, nowMs, reply }: AnswerContext): Answer {
    if (!Array.isArray(body.messages)) throw new ProviderError(400, 'messages is required');
    const { figures, commit } = state.sharedPrefixCache.decide({
      partition: JSON.stringify(['ollama', model]),
      segments: segmentsOf(body),
      stepTokens: 1,
      minimumTokens: 1,
      idleMs: DEFAULT_KEEP_ALIVE_MS,
      maxAgeMs: Number.POSITIVE_INFINITY,
      nowMs,
    });
    const head = { model, created_at: new Date(nowMs).toISOString() };
    const message = messageOf(reply);
    const usage = {
      prompt_eval_count: figures.inputTokens,
      eval_count: tokensOfText(JSON.stringify(message)),
    };
    const end = { done_reason: 'stop', done: true, ...DURATIONS, ...usage };
    return {
      figures,
      usage,
      json: { ...head, message, ...end },
      events: (pieces) => lines(head, message, end, pieces),
      begin: commit,
    };
  },

  errorBody: ({ message }) => ({ error: message }),
  errorEvent: ({ message }) => `${JSON.stringify({ error: message })}\n`,
};

/** Nanoseconds; nobody here reads them. */
const DURATIONS = { total_duration: 1, load_duration: 1, prompt_eval_duration: 1, eval_duration: 1 };

/** Most chat templates render tools into the system turn, in front of the messages. */
function segmentsOf(body: JsonObject): Segment[] {
  const { think } = body;
  return [
    ...(think === undefined ? [] : [{ kind: 'parameter' as const, text: `think\n${JSON.stringify(think)}` }]),
    ...objectsOf(body.tools).map((tool) => ({ kind: 'block' as const, text: `tool\n${renderFields(tool)}` })),
    ...objectsOf(body.messages).map((message) => ({
      kind: 'block' as const,
      text: `${stringOf(message.role)}\n${renderFields(message, ['role'])}`,
    })),
  ];
}

function messageOf({ thinking, text, toolCalls = [] }: AnswerContext['reply']): JsonObject {
  const calls = toolCalls.map(({ name, input }) => ({ function: { name, arguments: input } }));
  return {
    role: 'assistant',
    content: text ?? '',
    ...(thinking !== undefined && { thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function* lines(head: JsonObject, message: JsonObject, end: JsonObject, pieces: Pieces): Iterable<string> {
  const line = (delta: JsonObject, rest: JsonObject = { done: false }): string =>
    `${JSON.stringify({ ...head, message: { role: 'assistant', content: '', ...delta }, ...rest })}\n`;
  for (const thinking of pieces(stringOf(message.thinking))) yield line({ thinking });
  for (const content of pieces(stringOf(message.content))) yield line({ content });
  if (message.tool_calls !== undefined) yield line({ tool_calls: message.tool_calls });
  yield line({}, end);
}
