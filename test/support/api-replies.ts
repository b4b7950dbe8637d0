/** What a provider answers, by the API that is spoken: for suites that run one set of cases over several clients. */
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

export interface ApiReplies {
  readonly json: ScriptedReply;
  stream(afterwards?: ScriptedReply['afterwards'], eventCount?: number): ScriptedReply;
}

type RepliedApi = 'anthropic.messages' | 'openai.chat' | 'openai.responses' | 'google.generateContent';

const TEXTS = ['Hel', 'lo ', 'there', ', ', 'friend'];

const geminiChunk = (text: string) => ({
  responseId: 'r1',
  modelVersion: 'gemini-3.5-flash-001',
  candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 20, cachedContentTokenCount: 5, candidatesTokenCount: 2 },
});

export const API_REPLIES: Readonly<Record<RepliedApi, ApiReplies>> = {
  'anthropic.messages': {
    json: jsonReply(anthropicMessage([{ type: 'text', text: 'Hello' }])),
    stream: (afterwards, count) => eventReply(anthropicEvents(TEXTS).slice(0, count), afterwards),
  },
  'openai.chat': {
    json: jsonReply(chatCompletion({ content: 'Hello' })),
    stream: (afterwards, count) => eventReply(chatEvents(TEXTS).slice(0, count), afterwards),
  },
  'openai.responses': {
    json: jsonReply(responsesResponse('Hello')),
    stream: (afterwards, count) => eventReply(responsesEvents(TEXTS).slice(0, count), afterwards),
  },
  'google.generateContent': {
    json: jsonReply(geminiChunk('Hello')),
    stream: (afterwards, count) =>
      eventReply(TEXTS.map((text) => ({ data: geminiChunk(text) })).slice(0, count), afterwards),
  },
};

/** In the form of no API in particular: clients go by the status. */
export const errorReply = (status: number): ScriptedReply => ({
  status,
  headers: { 'content-type': 'application/json', 'retry-after-ms': '1', 'x-request-id': 'req_1' },
  chunks: [JSON.stringify({ type: 'error', error: { type: 'some_error', message: `status ${status}` } })],
});

export const brokenBody = new TypeError('terminated', { cause: new Error('other side closed') });
