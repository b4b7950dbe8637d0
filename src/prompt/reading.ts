/**
 * Reading: a prompt together with the text it was read from, kept so that the next body of the conversation need not be
 * read again from its start. A conversation is sent whole each time and differs from the last one at its tail, so the
 * cost of reading follows what is new: the common start is compared as text, and only the new messages are parsed.
 */
import type { ExchangeRequest, JsonValue } from '../exchange.ts';
import { PromptBuilder } from './builder.ts';
import { commonStart } from './common-start.ts';
import { elementEnds, type ListSpan, listSpan } from './json-text.ts';
import type { Prompt } from './prompt.ts';

export interface Reading {
  readonly prompt: Prompt;
  /** `null` where only the parsed body is known, or the text was dropped. */
  readonly text: BodyText | null;
  /** Characters at the start of the text that the next body is known to share. */
  readonly commonLength?: number | undefined;
  /** Segments taken over from the reading before, unchanged. */
  readonly reusedSegments: number;
}

export interface BodyText {
  readonly body: string;
  /** What else the prompt depends on: facts of the request beside its body. */
  readonly context: string;
  /** Where the messages stand. Scanned when a next body asks for it first. */
  list: ListSpan | null | undefined;
  /** Number of segments up to and with each message. */
  readonly segmentsAfter: readonly number[];
}

/** How one API's messages are read, one by one. */
export interface MessageReader {
  readonly listField: string;
  append(builder: PromptBuilder, message: JsonValue, index: number): void;
  /** False where the message changes how the head is read, so that the whole body has to be read. */
  isPlain(message: JsonValue): boolean;
  /** Marks and the like that depend on the whole prompt. */
  finish?(builder: PromptBuilder, before: Prompt): void;
}

export function contextOf(request: ExchangeRequest): string {
  return `${request.api}\n${request.model ?? ''}\n${request.headers?.['anthropic-beta'] ?? ''}`;
}

/** Reads `body` as a continuation of `before`; `null` where it is not one. */
export function readGrown(
  before: Reading,
  request: ExchangeRequest & { body: string },
  reader: MessageReader,
): Reading | null {
  const { text, prompt } = before;
  if (!text || text.context !== contextOf(request)) return null;
  if (text.list === undefined) text.list = listSpan(text.body, reader.listField) ?? null;
  if (!text.list || text.list.elementEnds.length !== text.segmentsAfter.length) return null;
  const { body } = request;
  const kept = keptElements(text.list, before.commonLength ?? commonStart(text.body, body));
  const segments = text.segmentsAfter[kept - 1];
  // The head must be closed: while leading system messages may still come, the whole body is read.
  if (segments === undefined || segments <= prompt.headLength) return null;
  const behind = text.body.slice(text.list.end);
  // Not `endsWith`, which looks at one character after the other.
  if (body.slice(-behind.length) !== behind) return null;
  const from = text.list.elementEnds[kept - 1] as number;
  const end = body.length - behind.length;
  const added = parseElements(body, from, end);
  if (!added?.every((message) => reader.isPlain(message))) return null;
  const builder = PromptBuilder.from(prompt, segments);
  const segmentsAfter = text.segmentsAfter.slice(0, kept);
  added.forEach((message, index) => {
    reader.append(builder, message, kept + index);
    segmentsAfter.push(builder.segments.length);
  });
  reader.finish?.(builder, prompt);
  const ends = [...text.list.elementEnds.slice(0, kept), ...elementEnds(body, firstElement(body, from), end)];
  const list: ListSpan = { start: text.list.start, end, elementEnds: ends };
  return {
    prompt: builder.continue(prompt),
    text: { ...text, body, list, segmentsAfter },
    reusedSegments: segments,
  };
}

/** Elements that lie wholly inside the common start. */
function keptElements(list: ListSpan, common: number): number {
  let low = 0;
  let high = list.elementEnds.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((list.elementEnds[middle - 1] as number) <= common) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The messages between `from` (behind the last kept one) and the end of the list; `null` where that is no JSON. */
function parseElements(body: string, from: number, end: number): JsonValue[] | null {
  const rest = body.slice(from, end).trim();
  if (rest === '') return [];
  if (!rest.startsWith(',')) return null;
  try {
    return JSON.parse(`[${rest.slice(1)}]`) as JsonValue[];
  } catch {
    return null;
  }
}

function firstElement(body: string, from: number): number {
  const comma = body.indexOf(',', from);
  return comma < 0 ? body.length : comma + 1;
}
