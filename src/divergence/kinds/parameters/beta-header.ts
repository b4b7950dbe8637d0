import type { KindRule } from '../../kind-rule.ts';

/** Beta features, speed, web search and citations; also the fallback for a setting without a kind of its own. */
export const betaHeader: KindRule = {
  kind: 'parameters.beta_header',
  advice:
    'Decide on beta features, speed, web search and citations before the first call and keep them for the whole conversation.',
  matches: () => true,
};
