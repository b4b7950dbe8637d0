/** Events of content pass unread; whatever states a fact is read, however the bytes are cut. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Api } from '../../src/exchange.ts';
import { sseReader } from '../../src/observe/sse-reader.ts';
import { type BodyReading, newBodyReading } from '../../src/response/body-reading.ts';
import { EVENT_READERS, mayStateFacts, type StreamEvent } from '../../src/response/stream-events.ts';
import { anthropicEvents, chatEvents, responsesEvents } from '../support/model-replies.ts';

/** Words that look like facts, and letters of several bytes. */
const TEXTS = [
  'Hello',
  'an error: message_stop',
  '"usage":{ [DONE] response.completed',
  'größer 🙂',
  '\n\ndata: x',
];

const STREAMS: readonly [Api, (texts: readonly string[]) => readonly { name?: string; data: unknown }[]][] = [
  ['anthropic.messages', anthropicEvents],
  ['openai.chat', (texts) => [...chatEvents(texts), { data: '[DONE]' }]],
  ['openai.responses', (texts) => responsesEvents([...texts])],
];

const dataOf = (data: unknown) => (typeof data === 'string' ? data : JSON.stringify(data));

/** Each event by itself, as cut apart by hand. */
function readOneByOne(api: Api, events: readonly StreamEvent[]): BodyReading {
  const reading = { ...newBodyReading(), isEofProper: false };
  for (const event of events) EVENT_READERS[api](event, reading);
  return reading;
}

describe('a stream of events', () => {
  it.each(STREAMS)('states the same facts however its bytes are cut: %s', (api, eventsOf) => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...TEXTS), { minLength: 1, maxLength: 6 }),
        fc.constantFrom('\n', '\r\n'),
        fc.array(fc.nat(), { maxLength: 12 }),
        fc.boolean(),
        (texts, lineEnd, places, isCutAtEvents) => {
          const events = eventsOf(texts).map(({ name, data }) => ({ name, data: dataOf(data) }));
          const written = events.map(({ name, data }) =>
            Buffer.from(
              `${name === undefined ? '' : `event: ${name}${lineEnd}`}data: ${data}${lineEnd}${lineEnd}`,
            ),
          );
          const bytes = Buffer.concat(written);
          const cuts = places.map((place) => place % bytes.length).sort((left, right) => left - right);
          const chunks = isCutAtEvents
            ? written
            : [0, ...cuts].map((cut, index) => bytes.subarray(cut, cuts[index] ?? bytes.length));
          const reading = newBodyReading();
          const reader = sseReader(api, reading);
          for (const chunk of chunks) reader.push(chunk);
          reader.close(true);
          expect(reading).toEqual(readOneByOne(api, events));
          expect(reading.terminal).toBe('completed');
          expect(reading.facts.usage).toBeDefined();
        },
      ),
    );
  });

  it('is not read where it holds content alone', () => {
    const reading = newBodyReading();
    const delta = 'event: content_block_delta\ndata: {"delta":{"type":"text_delta","text":"Hi"}}\n\n';
    expect(mayStateFacts('anthropic.messages', delta, reading)).toBe(false);
    expect(
      mayStateFacts('openai.responses', 'data: {"type":"response.output_text.delta"}\n\n', reading),
    ).toBe(false);
    const chunk =
      'data: {"id":"c","model":"m","choices":[{"delta":{"content":"Hi"},"finish_reason":null}]}\n\n';
    expect(mayStateFacts('openai.chat', chunk, reading)).toBe(true);
    Object.assign(reading.facts, { id: 'c', model: 'm' });
    expect(mayStateFacts('openai.chat', chunk, reading)).toBe(false);
  });
});
