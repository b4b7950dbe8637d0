import type { KindRule } from '../../kind-rule.ts';
import { isIdChange } from '../../recognise/volatile.ts';

export const randomId: KindRule = {
  kind: 'system.random_id',
  advice:
    'Take the id, nonce or build hash out of the prompt: a header or `metadata` carries it without changing the prefix.',
  matches: ({ span }) => span !== undefined && isIdChange(span),
};
