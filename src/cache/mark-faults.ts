/** Which fault of the cache marks, if any, explains a call whose content did not diverge. */
import { writtenMarks } from './boundaries.ts';
import type { Judged } from './judged.ts';
import { growingEndPath, inRenderOrder, type MarkFault, markFault, missingMarkPath } from './marks.ts';

/** The last mark stands behind content that is another one in each request, and no earlier mark holds the stable part. */
export function volatileMark(call: Judged): MarkFault | null {
  const { prompt, divergedAt } = call;
  if (call.rules.style !== 'explicit' || divergedAt === null || !call.before || !call.isShared) return null;
  const before = inRenderOrder(call.before.breakpoints).at(-1);
  const now = inRenderOrder(prompt.breakpoints).at(-1);
  if (divergedAt < prompt.headLength) return null;
  if (!before || !now || before.segment < divergedAt || now.segment < divergedAt) return null;
  if ((call.usage?.cacheRead ?? 0) > 0 || call.sharedTokens < call.rules.minimumTokens) return null;
  // Where the stable part has a mark of its own, a first read of 0 has another reason: it may still be being written.
  if (call.sharedMarkedTokens >= call.rules.minimumTokens) return null;
  return markFault('breakpoints.volatile_block', now.path, 'no_reachable_entry');
}

export function faultOfMarks(call: Judged, lost: boolean): MarkFault | null {
  const { rules, prompt, usage, baseline, simulation } = call;
  if (rules.style !== 'explicit' || !baseline || usage === null) return null;
  // Where the prompt was seen through another's eyes (a span, an export) a count of written tokens proves a mark.
  const isUnmarked = writtenMarks(prompt, rules).length === 0 && !usage.cacheRead && !usage.cacheWrite;
  const isLargeEnough = Math.min(usage.input, baseline.outcome.usage?.input ?? 0) >= rules.minimumTokens;
  if (isUnmarked && isLargeEnough) {
    const path = rules.setsMarks ? 'prompt_cache_options' : missingMarkPath(call.before, prompt);
    return markFault('breakpoints.missing', path, 'no_breakpoint');
  }
  if (lost && simulation?.obstacle === 'no_reachable_entry') {
    const last = inRenderOrder(prompt.breakpoints).at(-1);
    return markFault('breakpoints.moved', last?.path ?? growingEndPath(prompt), 'no_reachable_entry');
  }
  return lost ? null : unmarkedGrowth(call);
}

/** Marks stand at the head alone, and a long conversation behind it is paid for again in each call. */
function unmarkedGrowth(call: Judged): MarkFault | null {
  const { baseline, prompt, rules, usage } = call;
  const before = baseline?.outcome.usage;
  if (!before || !usage || call.isShared || prompt.missingHistory) return null;
  const marks = writtenMarks(prompt, rules);
  const isHeadOnly = marks.length > 0 && marks.every(({ segment }) => segment < prompt.headLength);
  const resent = Math.min(before.uncached ?? 0, usage.uncached ?? 0);
  if (!isHeadOnly || resent < Math.max(rules.minimumTokens, 1_024)) return null;
  return markFault('breakpoints.missing', growingEndPath(prompt), 'no_breakpoint');
}
