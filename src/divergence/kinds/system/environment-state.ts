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
    const changed = `${span.before}\n${span.after}`.replace(/[_-]+/g, ' ');
    return !isInsertion(span) && (ENVIRONMENT.test(changed) || isGitStatus(span));
  },
};

/** Lines of `git status --short --branch`. */
function isGitStatus(span: TextSpan): boolean {
  const { before, after } = changedLines(span);
  return /^On branch |^\s*## \S+\.\.\.|\borigin\/|\[(ahead|behind) \d|^ ?[MADRCU?!]{1,2} \S+$/m.test(
    `${before}\n${after}`,
  );
}

function isListOfPaths(span: TextSpan): boolean {
  const { before, after } = changedLines(span);
  const lines = `${before}\n${after}`.split('\n').filter((line) => line.trim() !== '');
  return (
    lines.length > 1 &&
    lines.every((line) => /^\s*([-*]\s*)?(\.{0,2}\/)?[\w@.-]+(\/[\w@.-]+)+\s*$/.test(line))
  );
}
