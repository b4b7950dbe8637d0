/**
 * Session transcripts of coding agents → usage records. One reader an agent; each keeps only what joins one line to the
 * next, so that a transcript of any length is read in little memory.
 */
import type { Api, JsonObject } from '../../exchange.ts';
import { isJsonObject, numberIn, objectIn, stringIn } from '../../json-value.ts';
import { readUsage, type TokenUsage } from '../../prompt/usage.ts';
import type { UsageRecord } from '../../usage-only/usage-record.ts';
import type { LogRecord } from '../formats/format.ts';

export type TranscriptReader = (records: AsyncIterable<LogRecord>) => AsyncGenerator<UsageRecord>;

/** Claude Code writes one response as several lines, and a resumed session repeats old ones. */
export async function* readClaudeCode(records: AsyncIterable<LogRecord>): AsyncGenerator<UsageRecord> {
  const seen = new Set<string>();
  const marks = new Marks();
  for await (const { value, source } of records) {
    const conversation = `${stringIn(value.sessionId) ?? 'session'}${value.isSidechain === true ? `/${stringIn(value.agentId) ?? 'side'}` : ''}`;
    if (value.subtype === 'compact_boundary') marks.isCompacted = true;
    const message = objectIn(value.message);
    if (value.type === 'user' && typeof message?.content === 'string') marks.startsTurn = true;
    if (value.type !== 'assistant' || !message || message.model === '<synthetic>') continue;
    const id = stringIn(message.id) ?? source;
    if (seen.has(id)) continue;
    seen.add(id);
    const usage = readUsage('anthropic.messages', message.usage);
    if (usage === null || usage.input === 0) continue;
    // The output count of a transcript is a placeholder from the start of the stream.
    yield {
      ...call('anthropic.messages', message.model, value.timestamp),
      source,
      conversation,
      usage: { ...usage, output: null },
      ...marks.take(),
    };
  }
}

/** Codex writes each count twice: a new request is a change of the session's total. */
export async function* readCodex(records: AsyncIterable<LogRecord>): AsyncGenerator<UsageRecord> {
  const marks = new Marks();
  let conversation = 'session';
  let model: unknown;
  let total = '';
  for await (const { value, source } of records) {
    const payload = objectIn(value.payload) ?? {};
    if (value.type === 'session_meta') conversation = stringIn(payload.id) ?? conversation;
    if (value.type === 'turn_context') model = payload.model;
    if (value.type === 'compacted' || payload.type === 'context_compacted') marks.isCompacted = true;
    if (payload.type === 'user_message') marks.startsTurn = true;
    const info = payload.type === 'token_count' ? objectIn(payload.info) : undefined;
    const last = objectIn(info?.last_token_usage);
    const newTotal = JSON.stringify(info?.total_token_usage ?? null);
    if (!last || newTotal === total) continue;
    total = newTotal;
    const usage = inclusive(last.input_tokens, last.cached_input_tokens, last.output_tokens);
    if (usage === null) continue;
    yield {
      ...call('openai.responses', model, value.timestamp),
      source,
      conversation,
      usage,
      ...marks.take(),
    };
  }
}

export async function* readGeminiCli(records: AsyncIterable<LogRecord>): AsyncGenerator<UsageRecord> {
  const marks = new Marks();
  for await (const { value, source, sourcesAt } of records) {
    const sources = sourcesAt('messages');
    const messages = Array.isArray(value.messages) ? value.messages : [];
    for (const [index, message] of messages.entries()) {
      if (!isJsonObject(message)) continue;
      if (message.type === 'user') marks.startsTurn = true;
      const tokens = objectIn(message.tokens);
      const usage = inclusive(tokens?.input, tokens?.cached, tokens?.output);
      if (usage === null) continue;
      yield {
        ...call('google.generateContent', message.model, message.timestamp),
        source: sources[index] ?? source,
        conversation: stringIn(value.sessionId) ?? 'session',
        usage,
        ...marks.take(),
      };
    }
  }
}

export async function* readPi(records: AsyncIterable<LogRecord>): AsyncGenerator<UsageRecord> {
  const marks = new Marks();
  let conversation = 'session';
  for await (const { value, source } of records) {
    if (value.type === 'session') conversation = stringIn(value.id) ?? conversation;
    if (value.type === 'compaction') marks.isCompacted = true;
    const message = objectIn(value.message);
    if (message?.role === 'user') marks.startsTurn = true;
    if (message?.role !== 'assistant') continue;
    const usage = piUsage(objectIn(message.usage) ?? {});
    if (usage === null) continue;
    const api = stringIn(message.api) ?? '';
    yield {
      ...call(PI_APIS[api] ?? 'openai.chat', message.model, message.timestamp),
      source,
      conversation,
      usage,
      ...marks.take(),
    };
  }
}

const PI_APIS: Readonly<Record<string, Api>> = {
  'anthropic-messages': 'anthropic.messages',
  'openai-responses': 'openai.responses',
  'google-generative-ai': 'google.generateContent',
};

/** What happened since the call before. */
class Marks {
  isCompacted = false;
  startsTurn = false;

  take() {
    const { isCompacted, startsTurn } = this;
    this.isCompacted = false;
    this.startsTurn = false;
    return { isCompacted, startsTurn };
  }
}

function call(api: Api, model: unknown, time: unknown) {
  const atMs = typeof time === 'string' ? Date.parse(time) : (numberIn(time) ?? Number.NaN);
  // Beyond these a `Date` is invalid.
  return { api, model: stringIn(model) ?? null, atMs: Math.abs(atMs) <= 8.64e15 ? atMs : null };
}

/** Usage whose input count holds what was cached. Nothing sent is no request. */
function inclusive(input: unknown, cached: unknown, output: unknown): TokenUsage | null {
  const usage = readUsage('openai.responses', {
    input_tokens: input,
    output_tokens: output,
    input_tokens_details: { cached_tokens: cached },
  });
  return usage === null || usage.input === 0 ? null : usage;
}

/** Its input count excludes both; all zero is a request that was aborted. */
function piUsage({ input, cacheRead, cacheWrite, output }: JsonObject): TokenUsage | null {
  const usage = readUsage('anthropic.messages', {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
  });
  return usage === null || usage.input === 0 ? null : usage;
}
