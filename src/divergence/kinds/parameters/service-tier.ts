import type { KindRule } from '../../kind-rule.ts';

export const serviceTier: KindRule = {
  kind: 'parameters.service_tier',
  advice:
    'Tiers do not share a cache: keep one tier for a conversation, and check the tier that the response says it was served by.',
  matches: ({ old, new: now }) =>
    /^(service_tier|serviceTier|performanceConfig)$/.test(old?.name ?? now?.name ?? ''),
};
