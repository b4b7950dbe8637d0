import type { KindRule } from '../../kind-rule.ts';
import { isDateChange } from '../../recognise/volatile.ts';

export const dateRollover: KindRule = {
  kind: 'system.date_rollover',
  advice:
    'Fix the date when the conversation starts and tell of a new day in the newest message; this breaks once a day, at midnight.',
  matches: ({ span }) => span !== undefined && isDateChange(span),
};
