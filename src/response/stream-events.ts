/**
 * What each API's stream events state, and which of them ends the stream. One function per API.
 *
 * Most events carry content and are not even parsed: a name or a cheap search tells which ones state facts. The searches
 * cannot be fooled by content, as quotes inside a JSON string are escaped.
 */
import type { Api } from '../exchange.ts';
import type { BodyReading } from './body-reading.ts';
import { absorbFacts, errorOf, isRecord } from './response-facts.ts';

export interface StreamEvent {
  readonly name: string | undefined;
  readonly data: string;
}

type EventReader = (event: StreamEvent, reading: BodyReading) => void;

const EVENT_TYPE =
  /"type"\s*:\s*"(message_start|message_delta|message_stop|error|response\.(?:created|completed|incomplete|failed))"/;
const HAS_CHAT_FACT = /"(?:usage|x_groq)"\s*:\s*\{|"error"\s*:\s*[{"]|"finish_reason"\s*:\s*"/;
const HAS_OLLAMA_FACT = /"done"\s*:\s*true|"error"\s*:/;

export const EVENT_READERS: Readonly<Record<Api, EventReader>> = {
  'anthropic.messages': readAnthropicEvent,
  'openai.chat': readChatChunk,
  'openai.responses': readResponsesEvent,
  'google.generateContent': readGeminiChunk,
  'bedrock.converse': readConverseEvent,
};

/** What a part of a stream must hold to state a fact; the events of the other APIs are read one and all. */
const TELLING: Readonly<Partial<Record<Api, RegExp>>> = {
  'anthropic.messages': /message_|error/,
  'openai.chat': new RegExp(`${HAS_CHAT_FACT.source}|\\[DONE\\]|event:\\s*error`),
  'openai.responses': /response\.(?:created|completed|incomplete|failed)|error/,
};

/** Whether whole events may state a fact: one search over their text, before they are even cut apart. */
export function mayStateFacts(api: Api, text: string, { facts }: BodyReading): boolean {
  // Chat chunks repeat these two, so the first one that has them is as good as any.
  if (api === 'openai.chat' && (facts.model === undefined || facts.id === undefined)) return true;
  return TELLING[api]?.test(text) ?? true;
}

function readAnthropicEvent({ name, data }: StreamEvent, reading: BodyReading): void {
  switch (name ?? EVENT_TYPE.exec(data)?.[1]) {
    case 'message_start':
      absorbFacts(reading.facts, parsed(data).message);
      return;
    case 'message_delta': {
      const { delta, ...stated } = parsed(data);
      absorbFacts(reading.facts, stated);
      if (isRecord(delta) && typeof delta.stop_reason === 'string') reading.isContentComplete = true;
      return;
    }
    case 'message_stop':
      reading.terminal = 'completed';
      return;
    case 'error':
      fail(reading, parsed(data).error);
  }
}

function readChatChunk({ name, data }: StreamEvent, reading: BodyReading): void {
  if (data === '[DONE]') {
    reading.terminal = 'completed';
    return;
  }
  const { facts } = reading;
  if (name === 'error') {
    fail(reading, parsed(data).error ?? data);
    return;
  }
  if (facts.model !== undefined && facts.id !== undefined && !HAS_CHAT_FACT.test(data)) return;
  const chunk = parsed(data);
  absorbFacts(facts, chunk);
  if (facts.error !== undefined) reading.terminal = 'failed';
  const choices = Array.isArray(chunk.choices) ? chunk.choices : [];
  if (choices.some((choice) => isRecord(choice) && typeof choice.finish_reason === 'string')) {
    reading.isContentComplete = true;
  }
  // Some servers state usage in every chunk, so usage alone does not end the stream.
  if (reading.isContentComplete && isRecord(chunk.usage)) reading.terminal ??= 'completed';
}

function readResponsesEvent({ name, data }: StreamEvent, reading: BodyReading): void {
  const type = name ?? EVENT_TYPE.exec(data)?.[1];
  switch (type) {
    case 'response.created':
      absorbFacts(reading.facts, parsed(data).response);
      return;
    case 'response.completed':
    case 'response.incomplete':
    case 'response.failed':
      absorbFacts(reading.facts, parsed(data).response);
      reading.terminal = type === 'response.failed' ? 'failed' : 'completed';
      return;
    case 'error': {
      const event = parsed(data);
      // The documented event has `code` and `message` beside its type; some servers nest them.
      const { code, message } = event;
      fail(reading, event.error ?? { code, message });
    }
  }
}

/** Ollama's own API streams lines of JSON. The last one is `done`, states the counts and has no content to wait for. */
export function readOllamaLine({ data }: StreamEvent, reading: BodyReading): void {
  if (reading.facts.model !== undefined && !HAS_OLLAMA_FACT.test(data)) return;
  const line = parsed(data);
  absorbFacts(reading.facts, line);
  if (reading.facts.error !== undefined) reading.terminal = 'failed';
  else if (line.done === true) reading.terminal = 'completed';
}

/** Gemini has no terminal event: the chunk with a finish reason is the last one, and carries the usage. */
function readGeminiChunk({ data }: StreamEvent, reading: BodyReading): void {
  const chunk = parsed(data);
  absorbFacts(reading.facts, chunk);
  reading.isEofProper = true;
  if (reading.facts.error !== undefined) reading.terminal = 'failed';
  const candidates = Array.isArray(chunk.candidates) ? chunk.candidates : [];
  if (candidates.some((candidate) => isRecord(candidate) && typeof candidate.finishReason === 'string')) {
    reading.isContentComplete = true;
    if (isRecord(chunk.usageMetadata)) reading.terminal ??= 'completed';
  }
}

function readConverseEvent({ name, data }: StreamEvent, reading: BodyReading): void {
  if (name === 'messageStop') {
    reading.isContentComplete = true;
  } else if (name === 'metadata') {
    absorbFacts(reading.facts, parsed(data));
    reading.terminal = 'completed';
  }
}

function fail(reading: BodyReading, error: unknown): void {
  reading.facts.error = errorOf(error);
  reading.terminal = 'failed';
}

function parsed(data: string): Record<string, unknown> {
  const value: unknown = JSON.parse(data);
  return isRecord(value) ? value : {};
}
