/**
 * The SDKs that are made by no common generator, behind one structural face. What only one of them has is a case of its own
 * in the suites.
 */
import { GoogleGenAI } from '@google/genai';
import { HTTPClient, Mistral } from '@mistralai/mistralai';
import { Ollama } from 'ollama';
import { CHAT_USAGE, chatCompletion, chatEvents, eventReply, jsonReply } from './model-replies.ts';
import type { ScriptedReply } from './scripted-server.ts';

interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface OtherTarget {
  readonly name: string;
  readonly clientClass: new (...parameters: never[]) => object;
  newClient(baseUrl: string, fetch?: typeof globalThis.fetch): object;
  create(client: object, text: string, options?: CallOptions): Promise<unknown>;
  stream(client: object, text: string, options?: CallOptions): Promise<AsyncIterable<unknown>>;
  /** Ollama has no signal: its streams have `abort()`. */
  readonly takesSignal: boolean;
  readonly jsonReply: ScriptedReply;
  streamReply(afterwards?: ScriptedReply['afterwards'], eventCount?: number): ScriptedReply;
  /** An error inside a stream that has begun. */
  readonly errorChunk: string;
  errorReply(status: number): ScriptedReply;
  /** What a complete answer is recorded with. */
  readonly recorded: Readonly<Record<string, unknown>>;
}

const TEXTS = ['Hello', ', ', 'wörld', ' — ', 'bye'];
const JSON_TYPE = { 'content-type': 'application/json' };

const OLLAMA_USAGE = { prompt_eval_count: 2112, eval_count: 3 };
const OLLAMA_END = { done: true, done_reason: 'stop', total_duration: 5, ...OLLAMA_USAGE };

const ollamaLine = (content: string, rest: object = { done: false }): string =>
  `${JSON.stringify({ model: 'llama3.2', created_at: '2026-12-01T00:00:00Z', message: { role: 'assistant', content }, ...rest })}\n`;

const ollama: OtherTarget = {
  name: 'ollama',
  clientClass: Ollama,
  newClient: (host, fetch) => new Ollama({ host, ...(fetch && { fetch }) }),
  create: (client, content) =>
    (client as Ollama).chat({ model: 'llama3.2', messages: [{ role: 'user', content }] }),
  stream: (client, content) =>
    (client as Ollama).chat({ model: 'llama3.2', messages: [{ role: 'user', content }], stream: true }),
  takesSignal: false,
  jsonReply: { headers: JSON_TYPE, chunks: [ollamaLine('Hello', OLLAMA_END)] },
  streamReply: (afterwards, eventCount) => ({
    headers: { 'content-type': 'application/x-ndjson' },
    chunks: [...TEXTS.map((text) => ollamaLine(text)), ollamaLine('', OLLAMA_END)].slice(0, eventCount),
    ...(afterwards && { afterwards }),
  }),
  errorChunk: '{"error":"out of memory"}\n',
  errorReply: (status) => ({
    status,
    headers: JSON_TYPE,
    chunks: [JSON.stringify({ error: `status ${status}` })],
  }),
  recorded: { model: 'llama3.2', usage: OLLAMA_USAGE },
};

// Mistral's parser wants no nulls where a field is absent.
const mistralEvents = chatEvents(TEXTS).map(({ data }) => {
  if (typeof data === 'string') return { data };
  const { usage, ...chunk } = data as { usage: unknown };
  return { data: { ...chunk, ...(usage !== null && { usage }) } };
});

const mistral: OtherTarget = {
  name: '@mistralai/mistralai',
  clientClass: Mistral,
  newClient: (serverURL, fetch) =>
    new Mistral({
      apiKey: 'test-key',
      serverURL,
      ...(fetch && { httpClient: new HTTPClient({ fetcher: fetch }) }),
    }),
  create: (client, content, options) =>
    (client as Mistral).chat.complete(
      { model: 'mistral-large-latest', messages: [{ role: 'user', content }] },
      options,
    ),
  stream: (client, content, options) =>
    (client as Mistral).chat.stream(
      { model: 'mistral-large-latest', messages: [{ role: 'user', content }] },
      options,
    ),
  takesSignal: true,
  jsonReply: jsonReply(chatCompletion({ content: 'Hello' })),
  streamReply: (afterwards, eventCount) => eventReply(mistralEvents.slice(0, eventCount), afterwards),
  errorChunk: 'event: error\ndata: {"error":{"type":"overloaded","message":"busy"}}\n\n',
  errorReply: (status) => ({
    status,
    headers: JSON_TYPE,
    chunks: [JSON.stringify({ message: `status ${status}` })],
  }),
  recorded: { id: 'chatcmpl-1', model: 'gpt-5.5-2026-04-01', usage: CHAT_USAGE },
};

const GEMINI_USAGE = {
  promptTokenCount: 5000,
  cachedContentTokenCount: 4096,
  candidatesTokenCount: 3,
  totalTokenCount: 5003,
};

const geminiChunk = (text: string, rest: object = {}): object => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0, ...rest }],
  modelVersion: 'gemini-3.5-flash-001',
  responseId: 'r-1',
  ...('finishReason' in rest && { usageMetadata: GEMINI_USAGE }),
});

const google: OtherTarget = {
  name: '@google/genai',
  clientClass: GoogleGenAI,
  newClient: (baseUrl, fetch) =>
    new GoogleGenAI({ apiKey: 'test-key', httpOptions: { baseUrl, ...(fetch && { fetch }) } }),
  create: (client, contents, { signal } = {}) =>
    (client as GoogleGenAI).models.generateContent({
      model: 'gemini-3.5-flash',
      contents,
      ...(signal && { config: { abortSignal: signal } }),
    }),
  stream: (client, contents, { signal } = {}) =>
    (client as GoogleGenAI).models.generateContentStream({
      model: 'gemini-3.5-flash',
      contents,
      ...(signal && { config: { abortSignal: signal } }),
    }),
  takesSignal: true,
  jsonReply: { headers: JSON_TYPE, chunks: [JSON.stringify(geminiChunk('Hello', { finishReason: 'STOP' }))] },
  streamReply: (afterwards, eventCount) =>
    eventReply(
      [...TEXTS.map((text) => geminiChunk(text)), geminiChunk('', { finishReason: 'STOP' })]
        .map((data) => ({ data }))
        .slice(0, eventCount),
      afterwards,
    ),
  errorChunk: 'data: {"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}\n\n',
  errorReply: (status) => ({
    status,
    headers: JSON_TYPE,
    chunks: [
      JSON.stringify({ error: { code: status, message: `status ${status}`, status: 'INVALID_ARGUMENT' } }),
    ],
  }),
  recorded: { id: 'r-1', model: 'gemini-3.5-flash-001', usage: GEMINI_USAGE },
};

export const OTHER_TARGETS: readonly OtherTarget[] = [ollama, mistral, google];
