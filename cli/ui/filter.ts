/** What `/` looks at: words that all must occur in what a person can see of a call. */
import { causeOf } from '../summary/classify.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
import { remembered } from './remembered.ts';

export function matchesFilter(call: ReportedCall, filter: string): boolean {
  const visible = visibleText(call);
  return wordsOf(filter).every((word) => visible.includes(word));
}

const wordsOf = remembered((filter: string) =>
  filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/** Made once a call: a hundred thousand of them are gone through at each filter. Owned by the calls themselves. */
const texts = new WeakMap<ReportedCall, string>();

function visibleText(call: ReportedCall): string {
  const known = texts.get(call);
  if (known !== undefined) return known;
  const { thread, phase, delegation } = call.scope;
  const text = [thread, phase, delegation, call.lineage, call.model, causeOf(call), call.divergence?.path]
    .filter((part) => part !== null && part !== undefined)
    .join(' ')
    .toLowerCase();
  texts.set(call, text);
  return text;
}
