import type { KindRule } from '../../kind-rule.ts';
import { isClockChange } from '../../recognise/volatile.ts';

export const timestamp: KindRule = {
  kind: 'system.timestamp',
  advice:
    'Take the clock out of the system prompt: say the time in the newest user message, or give the model a tool that tells it.',
  matches: ({ span }) => span !== undefined && isClockChange(span),
};
