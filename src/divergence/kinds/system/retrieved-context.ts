import { textOf } from '../../../prompt/prompt.ts';
import type { Difference } from '../../difference.ts';
import type { KindRule } from '../../kind-rule.ts';
import { headingOf, isListReplaced, labelsOf } from '../../recognise/section.ts';
import { RETRIEVED, RULES_FILE, RULES_HEADING } from '../../recognise/text.ts';
import type { TextSpan } from '../../text-span.ts';

export const retrievedContext: KindRule = {
  kind: 'system.retrieved_context',
  advice:
    'Put retrieved text (memories, documents, search results) into the newest user message, behind everything that stays the same.',
  matches: (difference) => {
    const { span } = difference;
    if (!span)
      return RETRIEVED.test(firstLine(difference.newText)) || RETRIEVED.test(firstLine(difference.oldText));
    const heading = headingOf(span);
    if (RULES_FILE.test(heading)) return false;
    if (RETRIEVED.test(heading) || RETRIEVED.test(labelsOf(span))) return true;
    if (heading === '' || RULES_HEADING.test(heading)) return false;
    return isListReplaced(span) || followsQuestion(span, newestQuestion(difference));
  },
};

/** The new text speaks of what was just asked, and the old one did not. */
function followsQuestion({ before, after }: TextSpan, question: string): boolean {
  if (before.trim() === '' || after.trim() === '') return false;
  const old = new Set(wordsOf(before));
  const asked = new Set(wordsOf(question));
  return wordsOf(after).some((word) => asked.has(word) && !old.has(word));
}

/** Words long enough to carry a subject. */
function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? [];
}

function newestQuestion({ after }: Difference): string {
  const asked = after.segments
    .filter(({ component, role }) => component === 'messages' && role === 'user')
    .at(-1);
  return asked ? textOf(asked).slice(0, 2_000) : '';
}

function firstLine(text: string): string {
  return (text.trimStart().split('\n', 1)[0] ?? '').replace(/[_-]+/g, ' ');
}
