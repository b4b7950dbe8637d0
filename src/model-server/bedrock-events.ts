/**
 * The stream of a Converse answer; usage comes last, in `metadata`.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
 */
import { eventFrame } from './aws-event-stream.ts';
import { isObject, stringOf } from './segments.ts';
import type { Pieces } from './sse.ts';
import type { JsonObject } from './types.ts';

export function* converseEvents(
  content: readonly JsonObject[],
  stopReason: string,
  metadata: JsonObject,
  pieces: Pieces,
): Iterable<Uint8Array> {
  yield eventFrame('messageStart', { role: 'assistant' });
  for (const [contentBlockIndex, block] of content.entries()) {
    const { toolUse } = block;
    // Only a tool call is announced.
    if (isObject(toolUse)) {
      const { toolUseId, name } = toolUse;
      yield eventFrame('contentBlockStart', { contentBlockIndex, start: { toolUse: { toolUseId, name } } });
    }
    for (const delta of deltasOf(block, pieces))
      yield eventFrame('contentBlockDelta', { contentBlockIndex, delta });
    yield eventFrame('contentBlockStop', { contentBlockIndex });
  }
  yield eventFrame('messageStop', { stopReason });
  yield eventFrame('metadata', metadata);
}

function* deltasOf({ text, toolUse, reasoningContent }: JsonObject, pieces: Pieces): Iterable<JsonObject> {
  if (isObject(reasoningContent) && isObject(reasoningContent.reasoningText)) {
    const { text: thinking, signature } = reasoningContent.reasoningText;
    for (const piece of pieces(stringOf(thinking))) yield { reasoningContent: { text: piece } };
    yield { reasoningContent: { signature } };
  } else if (isObject(toolUse)) {
    for (const input of pieces(JSON.stringify(toolUse.input))) yield { toolUse: { input } };
  } else {
    for (const piece of pieces(stringOf(text))) yield { text: piece };
  }
}
