/**
 * What the messages behind a head are made of. Earlier tool calls are sent again with all their arguments, which stand
 * beside `content` in some APIs and are easily overlooked. Pure.
 */
import type { Prompt, Segment } from '../../src/prompt/prompt.ts';
import { sealedIn } from '../../src/tokens/segment-text.ts';

export const MESSAGE_SORTS = ['text', 'toolCalls', 'toolResults', 'thinking', 'other'] as const;
export type MessageSort = (typeof MESSAGE_SORTS)[number];
export type MessageTokens = Readonly<Record<MessageSort, number>>;

const SORTS: Readonly<Partial<Record<Segment['kind'], MessageSort>>> = {
  text: 'text',
  thinking: 'thinking',
  tool_use: 'toolCalls',
  tool_result: 'toolResults',
};

const CHARACTERS_PER_TOKEN = 4;

/** `total` tokens of messages, split by what they hold. */
export function splitMessages({ segments, headLength }: Prompt, total: number): MessageTokens {
  const weights = { text: 0, toolCalls: 0, toolResults: 0, thinking: 0, other: 0 };
  for (const segment of segments.slice(headLength))
    weights[SORTS[segment.kind] ?? 'other'] += weightOf(segment);
  const sum = Object.values(weights).reduce((left, right) => left + right, 0);
  for (const sort of MESSAGE_SORTS) weights[sort] *= sum === 0 ? 0 : total / sum;
  return weights;
}

export function addedMessages(left: MessageTokens, right: MessageTokens): MessageTokens {
  const sum = { ...left };
  for (const sort of MESSAGE_SORTS) sum[sort] += right[sort];
  return sum;
}

export function dividedMessages(tokens: MessageTokens, by: number): MessageTokens {
  const parts = { ...tokens };
  for (const sort of MESSAGE_SORTS) parts[sort] /= by;
  return parts;
}

export const NO_MESSAGES: MessageTokens = { text: 0, toolCalls: 0, toolResults: 0, thinking: 0, other: 0 };

/** An image's base64 is no text: what it holds beside text is known in tokens. */
function weightOf(segment: Segment): number {
  const sealed = sealedIn(segment);
  const characters = segment.leaves.reduce((sum, { text }) => sum + text.length, 0);
  return (characters - sealed.characters) / CHARACTERS_PER_TOKEN + sealed.tokens;
}
