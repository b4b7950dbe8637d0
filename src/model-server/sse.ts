/** Server-sent events as the two providers write them. https://html.spec.whatwg.org/multipage/server-sent-events.html */
import type { JsonObject } from './types.ts';

export const SSE_TYPE = 'text/event-stream; charset=utf-8';

/** Anthropic and OpenAI Responses name the event twice: in the field and in the data. */
export function namedEvent(data: JsonObject & { readonly type: string }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Chat Completions has data alone. */
export function dataEvent(data: JsonObject): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

export const DONE_EVENT = 'data: [DONE]\n\n';

/** Cuts a text into what one delta carries. */
export type Pieces = (text: string) => Iterable<string>;

const CHARACTERS_PER_PIECE = 16;

/** By code points, so that no delta holds half a surrogate pair. */
export function* pieces(text: string): Iterable<string> {
  const characters = [...text];
  for (let start = 0; start < characters.length; start += CHARACTERS_PER_PIECE) {
    yield characters.slice(start, start + CHARACTERS_PER_PIECE).join('');
  }
}

/** A text that never ends. */
export function* endlessPieces(): Iterable<string> {
  for (;;) yield 'and so on ';
}
