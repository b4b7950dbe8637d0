import { textOf } from '../../../prompt/prompt.ts';
import type { KindRule } from '../../kind-rule.ts';
import { isStubOf } from '../../recognise/text.ts';

export const toolResultCleared: KindRule = {
  kind: 'messages.tool_result_cleared',
  advice:
    'Trim tool results when they are first stored, not later. To free room clear many at once: Anthropic context editing has `clear_at_least` so that the rebuild pays.',
  matches: ({ old, new: now, leaf }) => {
    if (old?.kind !== 'tool_result' || now?.kind !== 'tool_result' || old.callId !== now.callId) return false;
    const [before, after] = [textOf(old), textOf(now)];
    if (leaf.old?.unknown?.isSame('placeholder', after)) return false;
    if (isStubOf(after, before)) return true;
    if (after.length >= before.length) return false;
    return isCutShort(before, after) || isReplaced(leaf.old?.text ?? before, leaf.new?.text ?? '');
  },
};

/** What is left is the start (or the end, or both) of what was there, with or without a note. */
function isCutShort(before: string, after: string): boolean {
  let start = 0;
  while (start < after.length && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  return start >= after.length * 0.5;
}

/** Much shorter, and no line of what was there is left. */
function isReplaced(before: string, after: string): boolean {
  if (after.length > before.length * 0.6) return false;
  const lines = new Set(before.split('\n').map((line) => line.trim()));
  return after.split('\n').every((line) => line.trim() === '' || !lines.has(line.trim()));
}
