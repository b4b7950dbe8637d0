/** A finding in one line, for a screen on which they come in as they happen. */
import { causeOf } from '../summary/classify.ts';
import { explain, scopeInWords } from '../summary/explain.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
import { formatTimeOfDay } from '../terminal/format.ts';
import type { Style } from '../terminal/style.ts';

/** `10:00:30 ╳ system.timestamp  system[0].text, byte 6 · 1,234 tokens billed again, $0.0012 more than a cache read · l1` */
export function findingLine(call: ReportedCall, style: Style): string {
  const facts = explain(call).filter(({ name }) => name === 'at' || name === 'cost');
  const parts = [...facts.map(({ text }) => text), style.faint(scopeInWords(call))];
  const cause = style.strong(causeOf(call) ?? '');
  return `${style.faint(formatTimeOfDay(call.at))} ${style.bad('╳')} ${cause}  ${parts.join(' · ')}`;
}
