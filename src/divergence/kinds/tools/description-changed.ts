import type { KindRule } from '../../kind-rule.ts';

/** Also the fallback for any other edit of one definition: the taxonomy has no kind of its own for a changed schema. */
export const descriptionChanged: KindRule = {
  kind: 'tools.description_changed',
  advice:
    'Keep tool definitions fixed for the life of a conversation: put what grows (skills, agents, files) into the newest message.',
  matches: () => true,
};
