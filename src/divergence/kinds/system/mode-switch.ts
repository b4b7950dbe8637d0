import type { Difference } from '../../difference.ts';
import { isSameContent } from '../../difference.ts';
import type { KindRule } from '../../kind-rule.ts';
import { headingOf, isInsertion } from '../../recognise/section.ts';
import { MODE, RULES_FILE } from '../../recognise/text.ts';
import { changedLines } from '../../text-span.ts';

export const modeSwitch: KindRule = {
  kind: 'system.mode_switch',
  advice:
    'Leave the system prompt as it is and announce the mode in a message: Anthropic takes `role: "system"` messages mid-conversation on newer models, OpenAI a `developer` item.',
  matches: (difference) => isSwitchedBlock(difference) || isSwitchedText(difference),
};

/** One whole system block came or went, and what stands behind it is as before. */
function isSwitchedBlock(difference: Difference): boolean {
  const [before, after] = [difference.oldTail(), difference.newTail()];
  if (before.length === after.length || !difference.old) return false;
  const [shorter, longer] = before.length < after.length ? [before, after] : [after, before];
  return (
    shorter.length === 0 ||
    shorter.every((segment, index) => isSameContent(segment, longer[longer.length - shorter.length + index]))
  );
}

/** Text was put in or taken out, with text on both sides of it, or the changed lines speak of a mode. */
function isSwitchedText({ span }: Difference): boolean {
  if (!span) return false;
  // An edited rules file may gain a line in its middle as well; only its own words make that a mode.
  if (!RULES_FILE.test(headingOf(span)) && isInsertion(span)) return true;
  const { before, after } = changedLines(span);
  return MODE.test(before) || MODE.test(after);
}
