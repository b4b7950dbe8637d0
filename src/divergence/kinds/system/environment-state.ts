import type { KindRule } from '../../kind-rule.ts';
import { headingOf, isInsertion, labelsOf } from '../../recognise/section.ts';
import { ENVIRONMENT, RULES_FILE } from '../../recognise/text.ts';
import { changedLines, type TextSpan } from '../../text-span.ts';

export const environmentState: KindRule = {
  kind: 'system.environment_state',
  advice:
    'Take a snapshot of the environment at the start of the conversation and report changes in the newest message.',
  matches: ({ span }) => {
    if (!span || RULES_FILE.test(headingOf(span))) return false;
    if (ENVIRONMENT.test(headingOf(span)) || ENVIRONMENT.test(labelsOf(span)) || isListOfPaths(span))
      return true;
    // A whole sentence that comes or goes is a switch, whatever words are in it.
    const { before, after } = changedLines(span);
    return !isInsertion(span) && ENVIRONMENT.test(`${before}\n${after}`.replace(/[_-]+/g, ' '));
  },
};

function isListOfPaths(span: TextSpan): boolean {
  const { before, after } = changedLines(span);
  const lines = `${before}\n${after}`.split('\n').filter((line) => line.trim() !== '');
  return (
    lines.length > 1 &&
    lines.every((line) => /^\s*([-*]\s*)?(\.{0,2}\/)?[\w@.-]+(\/[\w@.-]+)+\s*$/.test(line))
  );
}
