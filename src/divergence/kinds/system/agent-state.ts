import type { KindRule } from '../../kind-rule.ts';
import { STATE_WORDS } from '../../recognise/text.ts';
import { isExplainedBy } from '../../recognise/volatile.ts';
import { changedLines, sectionBefore } from '../../text-span.ts';

export const agentState: KindRule = {
  kind: 'system.agent_state',
  advice:
    'Keep todo lists, plans and counters out of the system prompt: append their newest state as a message or as a tool result.',
  matches: ({ span }) => {
    if (!span) return false;
    const { before, after } = changedLines(span);
    if (/\[[ xX~-]\]/.test(`${before}\n${after}`)) return true;
    if (isExplainedBy(span, ['number']) || maskStates(before) === maskStates(after)) return true;
    return /\b(todos?|to-do|plan|progress|scratchpad|checklist|tasks?)\b/i.test(
      headingOf(sectionBefore(span)),
    );
  },
};

function maskStates(text: string): string {
  return text.replace(STATE_WORDS, '\u0000').replace(/\d+/g, '\u0001');
}

function headingOf(section: string): string {
  return (
    section
      .split('\n')
      .filter((line) => /^\s*#|:\s*$|^\s*<[a-zA-Z]/.test(line))
      .at(-1) ?? ''
  );
}
