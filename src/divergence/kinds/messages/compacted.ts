import { opensWithSummary } from '../../../lineage/summary.ts';
import { contentKey } from '../../difference.ts';
import type { KindRule } from '../../kind-rule.ts';
import { messageCount } from '../../recognise/messages.ts';

export const compacted: KindRule = {
  kind: 'messages.compacted',
  advice:
    'A compaction rebuilds the messages once: do it late, and keep a cache mark at the end of tools and system so that the head is still read. Declare it with expectRebuild("compaction").',
  matches: (difference) => {
    const [before, after] = [difference.oldTail(), difference.newTail()];
    // The provider's own summary, as it is replayed.
    if (difference.new?.role === 'compaction' && difference.old?.role !== 'compaction') return true;
    const [oldCount, newCount] = [messageCount(before), messageCount(after)];
    if (newCount >= oldCount) return false;
    if (opensWithSummary(difference.after)) return true;
    const kept = new Set(before.map(contentKey));
    const known = after.filter((segment) => kept.has(contentKey(segment))).length;
    return newCount <= oldCount / 2 && known <= after.length / 2;
  },
};
