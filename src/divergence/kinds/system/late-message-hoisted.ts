import type { KindRule } from '../../kind-rule.ts';

export const lateMessageHoisted: KindRule = {
  kind: 'system.late_message_hoisted',
  advice:
    'Leave later system or developer messages where they were said: a proxy that lifts them into the system prompt changes the prefix with every one.',
  matches: (difference) =>
    difference.old === undefined && difference.new !== undefined && difference.new.kind !== 'parameter',
  place: (difference) => difference.new?.path,
};
