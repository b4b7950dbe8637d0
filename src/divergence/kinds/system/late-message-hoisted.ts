import type { Difference } from '../../difference.ts';
import type { KindRule } from '../../kind-rule.ts';
import { headingOf } from '../../recognise/section.ts';
import { RULES_FILE } from '../../recognise/text.ts';

export const lateMessageHoisted: KindRule = {
  kind: 'system.late_message_hoisted',
  advice:
    'Leave later system or developer messages where they were said: a proxy that lifts them into the system prompt changes the prefix with every one.',
  matches: (difference) => isBlockAdded(difference) || isParagraphAdded(difference),
  place: (difference) => (difference.old === undefined ? difference.new?.path : undefined),
};

function isBlockAdded({ old, new: now }: Difference): boolean {
  return old === undefined && now !== undefined && now.kind !== 'parameter';
}

/** The same in one string: the old text is whole, and a paragraph of its own stands behind it. */
function isParagraphAdded({ span }: Difference): boolean {
  if (span?.before !== '' || span.start !== span.oldText.length) return false;
  return /^\s*\n\s*\n(?![-*#]|\d+[.)])/.test(span.after) && !RULES_FILE.test(headingOf(span));
}
