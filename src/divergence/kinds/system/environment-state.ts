import type { KindRule } from '../../kind-rule.ts';
import { ENVIRONMENT } from '../../recognise/text.ts';
import { changedLines, sectionBefore } from '../../text-span.ts';

export const environmentState: KindRule = {
  kind: 'system.environment_state',
  advice:
    'Take a snapshot of the environment at the start of the conversation and report changes in the newest message.',
  matches: ({ span }) => {
    if (!span) return false;
    const { before, after } = changedLines(span);
    return ENVIRONMENT.test(`${before}\n${after}`) || ENVIRONMENT.test(lastHeading(sectionBefore(span)));
  },
};

/** The nearest lines above the change that name it: a heading, a label, an opening tag. */
function lastHeading(section: string): string {
  return section
    .split('\n')
    .filter((line) => /^\s*#|:\s*$|^\s*<|^[\w ]{2,40}:/.test(line))
    .slice(-2)
    .join('\n');
}
