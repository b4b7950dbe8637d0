/**
 * The stream of a Chat Completions answer. Usage comes only when asked for, in a last chunk without choices; the chunks
 * before it then say `usage: null`. https://developers.openai.com/api/reference/resources/chat
 */
import { isObject, objectsOf, stringOf } from './segments.ts';
import { DONE_EVENT, dataEvent, type Pieces } from './sse.ts';
import type { JsonObject } from './types.ts';

export function* chatEvents(
  completion: JsonObject,
  message: JsonObject,
  includesUsage: boolean,
  pieces: Pieces,
): Iterable<string> {
  const { id, created, model, service_tier } = completion;
  const head = { id, object: 'chat.completion.chunk', created, model, service_tier };
  const noUsage = includesUsage ? { usage: null } : {};
  const chunk = (delta: JsonObject, finishReason: string | null = null) =>
    dataEvent({
      ...head,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
      ...noUsage,
    });

  const text = message.content;
  yield chunk({ role: 'assistant', content: text === null ? null : '', refusal: null });
  for (const content of pieces(stringOf(text))) yield chunk({ content });
  const calls = objectsOf(message.tool_calls);
  for (const [index, call] of calls.entries()) {
    const { name, arguments: json } = isObject(call.function) ? call.function : {};
    yield chunk({
      tool_calls: [{ index, id: call.id, type: 'function', function: { name, arguments: '' } }],
    });
    for (const piece of pieces(stringOf(json))) {
      yield chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  }
  yield chunk({}, calls.length > 0 ? 'tool_calls' : 'stop');
  if (includesUsage) yield dataEvent({ ...head, choices: [], usage: completion.usage });
  yield DONE_EVENT;
}
