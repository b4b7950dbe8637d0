import type { KindRule } from '../../kind-rule.ts';
import { headingOf } from '../../recognise/section.ts';
import { maskStates } from '../../recognise/states.ts';
import { AGENT_STATE, STATE_WORDS } from '../../recognise/text.ts';
import { isExplainedBy } from '../../recognise/volatile.ts';
import { changedLines, type TextSpan } from '../../text-span.ts';

export const agentState: KindRule = {
  kind: 'system.agent_state',
  advice:
    'Keep todo lists, plans and counters out of the system prompt: append their newest state as a message or as a tool result.',
  matches: ({ span }) => {
    if (!span) return false;
    const { before, after } = changedLines(span);
    if (/\[[ xX~-]\]/.test(`${before}\n${after}`)) return true;
    if (isExplainedBy(span, ['number']) || isSameInStates(span)) return true;
    return AGENT_STATE.test(headingOf(span)) || (isStateRecord(before) && isStateRecord(after));
  },
};

function isSameInStates(span: TextSpan): boolean {
  if (span.unknown) return span.unknown.isSame('states', span.newText);
  const { before, after } = changedLines(span);
  return maskStates(before) === maskStates(after);
}

/** A line that lists things by their state: `"done":[…],"pending":[…]`. */
function isStateRecord(line: string): boolean {
  return new Set(line.toLowerCase().match(STATE_WORDS)).size >= 2;
}
