/**
 * A recorded response body → what the response said of itself: id, model, usage, error. The events of each API are read
 * by the same functions as live traffic; only the walk differs, as the whole body is here at once.
 */
import { createParser } from 'eventsource-parser';
import type { Api, Ending, ExchangeResponse } from '../exchange.ts';
import { type BodyReading, newBodyReading } from '../response/body-reading.ts';
import { absorbFacts, errorOf, isRecord } from '../response/response-facts.ts';
import { EVENT_READERS, type StreamEvent } from '../response/stream-events.ts';
import { awsEvents } from './formats/aws-events.ts';

export interface RecordedBody {
  readonly status?: number | undefined;
  /** Lower case. */
  readonly contentType?: string | undefined;
  /** Text, bytes (not compressed any more) or parsed JSON; `undefined` where it was not recorded. */
  readonly body: string | Uint8Array | object | undefined;
}

export function readResponse(api: Api, { status, contentType = '', body }: RecordedBody): ExchangeResponse {
  const reading = newBodyReading();
  if (typeof body === 'string' || body instanceof Uint8Array) readBody(api, body, contentType, reading);
  else if (body !== undefined) absorbJson(body, reading);
  return { ...reading.facts, status, ending: endingOf(reading, status) };
}

function readBody(api: Api, body: string | Uint8Array, contentType: string, reading: BodyReading): void {
  if (contentType.includes('vnd.amazon.eventstream') || isEventStream(body)) {
    readEvents(api, awsEvents(api, typeof body === 'string' ? Buffer.from(body, 'latin1') : body), reading);
    return;
  }
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
  if (/^\s*[[{]/.test(text)) {
    for (const stated of statements(text)) absorbJson(stated, reading);
  } else if (text.trim() !== '') {
    readEvents(api, serverSentEvents(text), reading);
  }
}

/** A frame begins with its length, which a text never does: its first byte is zero up to 16 MB. */
function isEventStream(body: string | Uint8Array): boolean {
  return body.length >= 16 && (typeof body === 'string' ? body.charCodeAt(0) : body[0]) === 0;
}

function readEvents(api: Api, events: Iterable<StreamEvent>, reading: BodyReading): void {
  reading.isEofProper = false;
  for (const event of events) {
    try {
      EVENT_READERS[api](event, reading);
    } catch {
      // One event that is no JSON does not hide the usage in a later one.
    }
  }
}

function serverSentEvents(text: string): StreamEvent[] {
  const events: StreamEvent[] = [];
  const parser = createParser({ onEvent: ({ event: name, data }) => events.push({ name, data }) });
  // The last event may lack its blank line where a recorder trimmed the body.
  parser.feed(`${text}\n\n`);
  return events;
}

/** Gemini streams without `alt=sse` as one array of responses. A body that was cut short states nothing. */
function statements(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [value];
  } catch {
    return [];
  }
}

/** Bedrock states its errors as a bare `message`; Responses says in `status` that a call failed. */
function absorbJson(stated: unknown, reading: BodyReading): void {
  absorbFacts(reading.facts, stated);
  if (!isRecord(stated)) return;
  if (typeof stated.message === 'string') reading.facts.error ??= errorOf(stated.message);
  if (stated.status === 'failed' || reading.facts.error !== undefined) reading.terminal = 'failed';
}

/** A stream without its end was cut by the caller or by the recorder: the provider had begun to answer. */
function endingOf(
  { terminal, isContentComplete, isEofProper }: BodyReading,
  status: number | undefined,
): Ending {
  if (status !== undefined && status >= 400) return 'failed';
  return terminal ?? (isContentComplete || isEofProper ? 'completed' : 'canceled');
}
