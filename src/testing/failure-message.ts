/**
 * What a failed assertion prints. The texts are those of the developer's own test, so they are shown; they are also data, so
 * what would move a cursor or colour a terminal is taken out.
 */
import type { Divergence } from '../diagnosis.ts';

export interface Colors {
  /** What was there before. */
  expected(text: string): string;
  /** What stands there now. */
  received(text: string): string;
}

export const NO_COLORS: Colors = { expected: (text) => text, received: (text) => text };

export interface Described {
  readonly headline: string;
  readonly cause: string;
  readonly divergence: Divergence | null;
  readonly excerpt: { readonly before: string; readonly after: string } | null;
  readonly cost?: string | undefined;
}

export function describeFailure(failure: Described, colors: Colors): string {
  const { divergence, excerpt, cost } = failure;
  const line = (name: string, text: string | undefined) =>
    text === undefined || text === '' ? [] : [`  ${`${name}:`.padEnd(9)}${text}`];
  return [
    failure.headline,
    ...line('kind', failure.cause),
    ...line('at', divergence ? placeOf(divergence) : undefined),
    ...line('before', excerpt ? colors.expected(visible(excerpt.before)) : undefined),
    ...line('after', excerpt ? colors.received(visible(excerpt.after)) : undefined),
    ...line('also', divergence?.also.map(({ kind, path }) => `${kind} at ${visible(path)}`).join('; ')),
    ...line('cost', cost),
    ...line('advice', divergence?.advice),
  ].join('\n');
}

function placeOf({ path, leaf, byteOffset, label }: Divergence): string {
  const byte = byteOffset === null ? '' : `, byte ${byteOffset}`;
  return visible(`${leaf || path}${byte}${label === '' ? '' : ` (${label})`}`);
}

/** White space keeps its spelling: a line break may be the very difference. */
function visible(text: string): string {
  return text
    .replace(/\r/g, '\\r')
    .replace(/\n/g, '\\n')
    .replace(/\t/g, '\\t')
    .replace(/[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, '');
}
