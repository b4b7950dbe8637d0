import type { KindRule } from '../../kind-rule.ts';
import { headingOf, isListReplaced, labelsOf } from '../../recognise/section.ts';
import { RETRIEVED, RULES_FILE, RULES_HEADING } from '../../recognise/text.ts';

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
    return heading !== '' && !RULES_HEADING.test(heading) && isListReplaced(span);
  },
};

function firstLine(text: string): string {
  return (text.trimStart().split('\n', 1)[0] ?? '').replace(/[_-]+/g, ' ');
}
