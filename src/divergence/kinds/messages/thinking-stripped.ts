import { type Segment, textOf } from '../../../prompt/prompt.ts';
import { contentKey, type Difference } from '../../difference.ts';
import type { KindRule } from '../../kind-rule.ts';

export const thinkingStripped: KindRule = {
  kind: 'messages.thinking_stripped',
  advice:
    'Send the assistant turns back as they came, reasoning included: providers that do not need it drop it themselves. On xAI and Anthropic a dropped block ends the prefix there.',
  matches: (difference) => isBlockGone(difference) || isSpanGone(difference),
};

/** A thinking block came, went or moved. */
function isBlockGone(difference: Difference): boolean {
  const { old, new: now } = difference;
  if (old?.kind === 'thinking') return now?.kind !== 'thinking' || isAbsent(old, difference.newTail());
  return now?.kind === 'thinking' && isAbsent(now, difference.oldTail().slice(0, 1));
}

function isAbsent(segment: Segment, from: readonly Segment[]): boolean {
  const key = contentKey(segment);
  return !from.some((other) => contentKey(other) === key);
}

/** `<think>` inside a text. */
function isSpanGone(difference: Difference): boolean {
  if (!difference.old || !difference.new) return false;
  const [before, after] = [textOf(difference.old), textOf(difference.new)];
  if (!/<\/(think|thinking|reasoning)>/i.test(`${before}${after}`)) return false;
  return (
    THINK.test(before) !== THINK.test(after) &&
    before.replace(THINK, '').trim() === after.replace(THINK, '').trim()
  );
}

const THINK = /<(think|thinking|reasoning)>[\s\S]*?<\/\1>/i;
