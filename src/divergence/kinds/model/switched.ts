import type { KindRule } from '../../kind-rule.ts';

export const switched: KindRule = {
  kind: 'model.switched',
  advice:
    'Caches belong to one model: keep a conversation on one model id (and pin the snapshot), or switch where the history is short, such as right after a compaction.',
  matches: () => true,
};
