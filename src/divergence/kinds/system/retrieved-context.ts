import type { KindRule } from '../../kind-rule.ts';
import { RETRIEVED } from '../../recognise/text.ts';
import { changedLines, sectionBefore } from '../../text-span.ts';

export const retrievedContext: KindRule = {
  kind: 'system.retrieved_context',
  advice:
    'Put retrieved text (memories, documents, search results) into the newest user message, behind everything that stays the same.',
  matches: (difference) => {
    const { span } = difference;
    if (!span)
      return RETRIEVED.test(firstLine(difference.newText)) || RETRIEVED.test(firstLine(difference.oldText));
    const { before, after } = changedLines(span);
    return (
      RETRIEVED.test(headings(sectionBefore(span))) ||
      RETRIEVED.test(headings(before)) ||
      RETRIEVED.test(headings(after))
    );
  },
};

function firstLine(text: string): string {
  return text.trimStart().split('\n', 1)[0] ?? '';
}

function headings(text: string): string {
  return text
    .split('\n')
    .filter((line) => /^\s*#|:\s*$|^\s*<[a-zA-Z]|^\s*\*\*|^[A-Z][\w ]{2,40}:/.test(line))
    .join('\n');
}
