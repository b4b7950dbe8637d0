/** Tokens of texts by the tokenizer; by length where it cannot run. Only their proportions are used. */
import type { Hasher } from '../../src/fingerprint/hash.ts';
import type { TokenCounter } from '../../src/tokens/counter.ts';
import { encodingOf } from '../../src/tokens/encoding.ts';

const CHARACTERS_PER_TOKEN = 4;

export type TextSize = (text: string) => number;

/** The sizes of these texts, to be compared with one another. */
export async function sizesOf(
  texts: readonly string[],
  model: string | null,
  counter: TokenCounter,
  hasher: Hasher,
): Promise<TextSize> {
  const encoding = encodingOf(model);
  const items = texts.map((text) => ({ hash: hasher.text(text), read: () => ({ text, extraTokens: 0 }) }));
  counter.ask(items, encoding);
  await counter.settled();
  // One measure for all: a count beside a length would be no proportion.
  const isCounted = items.every(({ hash }) => counter.known(hash, encoding) !== undefined);
  const byLength = (text: string) => text.length / CHARACTERS_PER_TOKEN;
  return isCounted ? (text) => counter.known(hasher.text(text), encoding) ?? byLength(text) : byLength;
}
