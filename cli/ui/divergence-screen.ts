/** One call against the one before it: what, where, why, how much, what now. */
import { categoryOf, causeOf } from '../summary/classify.ts';
import { certaintyInWords, explain, scopeInWords } from '../summary/explain.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
import { formatDuration, formatShare, formatTimeOfDay, formatTokens } from '../terminal/format.ts';
import { wrap } from '../terminal/terminal-text.ts';
import { changeLines } from './change-lines.ts';
import { factLine, factLines } from './fact-lines.ts';
import type { Line, ScreenContent, Size } from './frame.ts';
import { goneScreen } from './gone-screen.ts';
import { promptStrip } from './prompt-strip.ts';
import { alike, baselineOf, byIndexOf, callById, type ViewerState } from './state.ts';
import type { Role } from './theme.ts';

const HINTS = 'n p alike  f first of them  t timeline  c compare  y copy  esc back  ? keys';

export function divergenceScreen(
  state: ViewerState,
  { callId, scroll }: { readonly callId: string; readonly scroll: number },
  size: Size,
): ScreenContent {
  const call = callById(state, callId);
  if (call === undefined) return goneScreen();
  const baseline = baselineOf(state, call);
  return {
    title: [{ text: `call ${call.turn}${against(call, baseline)}`, role: 'title' }],
    status: statusOf(call, state),
    body: [
      ...aboutLines(call),
      [],
      ...stripLines(call, size),
      ...whyLines(call, state, size),
      ...(causeOf(call) === null ? quietLines(call, size) : []),
    ],
    focus: null,
    scroll,
    hints: HINTS,
  };
}

function against(call: ReportedCall, baseline: ReportedCall | undefined): string {
  if (baseline === undefined) return '';
  return baseline.lineage === call.lineage
    ? ` against call ${baseline.turn}`
    : ` against ${scopeInWords(baseline)}`;
}

function statusOf(call: ReportedCall, state: ViewerState): Line {
  const cause = causeOf(call);
  if (cause === null) return [{ text: 'no finding', role: 'read' }];
  const others = alike(state, call);
  const place = others.length > 1 ? ` ${others.indexOf(call) + 1} of ${others.length}` : '';
  const role: Role = categoryOf(call) === 'fault' ? 'break' : 'lapse';
  return [
    { text: cause, role },
    { text: `${place} · ${certaintyInWords(call)}`, role: 'faint' },
  ];
}

function aboutLines(call: ReportedCall): Line[] {
  const parts = [
    scopeInWords(call),
    call.model ?? 'unknown model',
    formatTimeOfDay(call.at),
    ...(call.durationMs === null ? [] : [formatDuration(call.durationMs)]),
    ...(call.source === null ? [] : [call.source]),
  ];
  return [[{ text: ` ${parts.join(' · ')}`, role: 'faint' }]];
}

function stripLines(call: ReportedCall, size: Size): Line[] {
  const strip = promptStrip(call, size.columns - 2);
  if (strip === null) return [];
  return [[{ text: ' ' }, ...strip.names], [{ text: ' ' }, ...strip.cells], caption(call), []];
}

/**
 * The whole of the call's input in up to three parts. A prompt that broke: before the break, billed again, new. One that
 * was not read although it held: read, billed again, the rest. What usage does not say is marked as an estimate.
 */
export function caption({ tokens, divergence, miss }: ReportedCall): Line {
  const mark = tokens.method === 'usage' ? '' : '~';
  const hasHeld = divergence === null && miss !== null;
  const kept = hasHeld ? (tokens.cacheRead ?? 0) : tokens.shared;
  const first = hasHeld ? `${mark}${formatTokens(kept)} read` : `~${formatTokens(kept)} shared`;
  const parts: Line[] = [[{ text: first, role: 'read' }]];
  if (divergence !== null || hasHeld) {
    const rebilled =
      tokens.rebilled === null
        ? 'unknown what was billed again'
        : `${mark}${formatTokens(tokens.rebilled)} billed again`;
    parts.push([{ text: rebilled, role: 'written' }]);
  }
  const rest = tokens.input - kept - (tokens.rebilled ?? (divergence === null ? 0 : tokens.behind));
  if (rest > 0) parts.push([{ text: `~${formatTokens(rest)} new`, role: 'faint' }]);
  return [
    { text: ' ' },
    ...parts.flatMap((part, index): Line => (index === 0 ? part : [{ text: '   ' }, ...part])),
  ];
}

/** What changed stands right behind why: the excerpts where there are any, else lengths and ids. */
function whyLines(call: ReportedCall, state: ViewerState, size: Size): Line[] {
  const facts = explain(call, byIndexOf(state)).filter(({ name }) => name !== 'before' && name !== 'after');
  const change = changeLines(call, size);
  const lines = facts.map((fact) => ({ name: fact.name, lines: factLines(fact.name, fact.text, size) }));
  const behind = lines.findLastIndex(({ name }) => name === 'at' || name === 'why');
  return [
    ...lines.slice(0, behind + 1).flatMap((fact) => fact.lines),
    ...change.map(({ name, text }) => factLine(name, text)),
    ...lines.slice(behind + 1).flatMap((fact) => fact.lines),
  ];
}

function quietLines({ tokens, turn, baseline }: ReportedCall, size: Size): Line[] {
  const isFirst = baseline === null && turn === 1;
  const share = tokens.cacheRead === null ? null : tokens.cacheRead / Math.max(1, tokens.input);
  const what = isFirst
    ? 'First call of its lineage: there is nothing to compare it with.'
    : 'The prompt only grew at its end.';
  const read =
    share === null
      ? 'The response reports no usage.'
      : `${formatShare(share)} of ${formatTokens(tokens.input)} tokens were read from the cache.`;
  return wrap(`${what} ${read}`, size.columns - 2).map((text): Line => [{ text: ` ${text}` }]);
}
