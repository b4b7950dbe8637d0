import type { KindRule } from '../../kind-rule.ts';

/** The fallback of its component: an edit that no other rule explains. */
export const instructionsChanged: KindRule = {
  kind: 'system.instructions_changed',
  advice:
    'Read instruction files once when a conversation starts; bring later edits in as a message, or accept one rebuild and edit rarely.',
  matches: () => true,
};
