/** How long after a call what it wrote or read may still be read, as far as the provider documents it. */
import type { Prompt } from '../prompt/prompt.ts';
import type { CacheRules } from './rules.ts';

/** The shortest lifetime among the marks. `null`: nothing was marked, or the cache is implicit and promises none. */
export function lifetimeOf({ breakpoints, requestTtlMs }: Prompt, rules: CacheRules): number | null {
  if (rules.style === 'implicit') return null;
  if (breakpoints.length === 0) return rules.setsMarks ? (requestTtlMs ?? rules.ttlMs) : null;
  return Math.min(...breakpoints.map(({ ttlMs }) => ttlMs ?? rules.ttlMs));
}
