/**
 * The stream of a Responses answer: one numbered series of events, usage in the last, no `[DONE]`.
 * https://developers.openai.com/api/reference/resources/responses/streaming-events
 */
import { objectsOf, stringOf } from './segments.ts';
import { namedEvent, type Pieces } from './sse.ts';
import type { JsonObject } from './types.ts';

type Event = JsonObject & { readonly type: string };

export function* responsesEvents(
  response: JsonObject,
  output: readonly JsonObject[],
  pieces: Pieces,
): Iterable<string> {
  let sequence = 0;
  for (const event of eventsOf(response, output, pieces)) {
    yield namedEvent({ ...event, sequence_number: sequence });
    sequence += 1;
  }
}

function* eventsOf(response: JsonObject, output: readonly JsonObject[], pieces: Pieces): Iterable<Event> {
  const { usage: _usage, prompt_cache_diagnostics: _diagnostics, ...known } = response;
  const running = { ...known, status: 'in_progress', output: [], usage: null };
  yield { type: 'response.created', response: running };
  yield { type: 'response.in_progress', response: running };
  for (const [output_index, item] of output.entries()) {
    const place = { output_index, item_id: item.id };
    yield { type: 'response.output_item.added', output_index, item: emptyItem(item) };
    if (item.type === 'message') yield* textEvents(item, place, pieces);
    else if (item.type === 'reasoning') yield* reasoningEvents(item, place, pieces);
    else yield* callEvents(item, place, pieces);
    yield { type: 'response.output_item.done', output_index, item };
  }
  yield { type: 'response.completed', response };
}

function emptyItem(item: JsonObject): JsonObject {
  if (item.type === 'reasoning') return { ...item, summary: [] };
  const running = { ...item, status: 'in_progress' };
  return item.type === 'message' ? { ...running, content: [] } : { ...running, arguments: '' };
}

function* textEvents(item: JsonObject, place: JsonObject, pieces: Pieces): Iterable<Event> {
  for (const [content_index, part] of objectsOf(item.content).entries()) {
    const at = { ...place, content_index };
    const text = stringOf(part.text);
    yield { type: 'response.content_part.added', ...at, part: { ...part, text: '' } };
    for (const delta of pieces(text))
      yield { type: 'response.output_text.delta', ...at, delta, logprobs: [] };
    yield { type: 'response.output_text.done', ...at, text, logprobs: [] };
    yield { type: 'response.content_part.done', ...at, part };
  }
}

function* reasoningEvents(item: JsonObject, place: JsonObject, pieces: Pieces): Iterable<Event> {
  for (const [summary_index, part] of objectsOf(item.summary).entries()) {
    const at = { ...place, summary_index };
    const text = stringOf(part.text);
    yield { type: 'response.reasoning_summary_part.added', ...at, part: { ...part, text: '' } };
    for (const delta of pieces(text)) yield { type: 'response.reasoning_summary_text.delta', ...at, delta };
    yield { type: 'response.reasoning_summary_text.done', ...at, text };
    yield { type: 'response.reasoning_summary_part.done', ...at, part };
  }
}

function* callEvents(item: JsonObject, place: JsonObject, pieces: Pieces): Iterable<Event> {
  const json = stringOf(item.arguments);
  for (const delta of pieces(json)) yield { type: 'response.function_call_arguments.delta', ...place, delta };
  yield { type: 'response.function_call_arguments.done', ...place, name: item.name, arguments: json };
}
