import type { KindRule } from '../../kind-rule.ts';

/** The fallback of its component. */
export const edited: KindRule = {
  kind: 'messages.edited',
  advice:
    'Append to the history instead of changing it: everything behind the first changed byte is billed again.',
  matches: () => true,
};
