/**
 * A head in tokens. Usage gives the total of a call, the engine the share of its head; each part takes of that what the
 * tokenizer counts in its text. So the parts add up to the head, and every one of them is an estimate.
 */
import type { Hasher } from '../../src/fingerprint/hash.ts';
import type { TokenCounter } from '../../src/tokens/counter.ts';
import { sizesOf, type TextSize } from './count-texts.ts';
import type { SeenHead } from './head-account.ts';
import type { HeadPart } from './head-part.ts';

export interface MeasuredPart {
  readonly component: HeadPart['component'];
  readonly label: string;
  readonly tokens: number;
  /** Of a tool: its name, its description, and all the rest, which is its schema. */
  readonly tool: { readonly name: number; readonly description: number; readonly schema: number } | null;
  /** A tool that no message of the recording calls; `null` where that cannot be known. */
  readonly isNeverCalled: boolean | null;
}

/** What could be shorter: how much of it there is, and where the most of it stands. */
interface Trim {
  readonly tokens: number;
  readonly count: number;
}

interface KeyTrim extends Trim {
  readonly key: string;
}

interface LongDescription {
  readonly label: string;
  /** `description`, or a place in the schema. */
  readonly at: string;
  readonly tokens: number;
}

export interface MeasuredHead {
  readonly seen: SeenHead;
  /** Biggest first. */
  readonly parts: readonly MeasuredPart[];
  readonly neverCalled: readonly MeasuredPart[] | null;
  /** Keys of schemas that no validator needs, descriptions aside; biggest first. */
  readonly keys: readonly KeyTrim[];
  /** Descriptions inside schemas. */
  readonly descriptions: Trim;
  /** Descriptions longer than `LONG_DESCRIPTION_TOKENS`, of tools and inside schemas; biggest first. */
  readonly longDescriptions: readonly LongDescription[];
  /** What they have beyond that length. */
  readonly excess: Trim;
}

/** Some eight lines of text: more than most tools that work well need. */
export const LONG_DESCRIPTION_TOKENS = 150;

export async function measureHead(
  seen: SeenHead,
  counter: TokenCounter,
  hasher: Hasher,
): Promise<MeasuredHead> {
  const { parts } = seen;
  const texts = parts.flatMap(({ text, name, description, notes }) => [
    text,
    name,
    description,
    ...notes.map(({ json }) => json),
  ]);
  const size = await sizesOf(texts, seen.model, counter, hasher);
  const total = parts.reduce((sum, { text }) => sum + size(text), 0);
  const factor = total === 0 ? 0 : seen.tokens / total;
  const tokensOf: TextSize = (text) => (text === '' ? 0 : size(text) * factor);
  const measured = parts
    .map((part) => measuredPart(part, seen, tokensOf))
    .sort((left, right) => right.tokens - left.tokens);
  const longDescriptions = longOnes(parts, tokensOf);
  const excess = longDescriptions.reduce((sum, { tokens }) => sum + tokens - LONG_DESCRIPTION_TOKENS, 0);
  const [descriptions, keys] = keyTrims(parts, tokensOf);
  return {
    seen,
    parts: measured,
    neverCalled: seen.hidesHistory ? null : measured.filter(({ isNeverCalled }) => isNeverCalled),
    keys,
    descriptions,
    longDescriptions,
    excess: { tokens: excess, count: longDescriptions.length },
  };
}

function measuredPart(part: HeadPart, seen: SeenHead, tokensOf: TextSize): MeasuredPart {
  const { component, label } = part;
  const tokens = tokensOf(part.text);
  const name = tokensOf(part.name);
  const description = Math.min(tokensOf(part.description), Math.max(0, tokens - name));
  const schema = Math.max(0, tokens - name - description);
  return {
    component,
    label,
    tokens,
    tool: component === 'tools' ? { name, description, schema } : null,
    isNeverCalled: !part.isFunction ? false : seen.hidesHistory ? null : !seen.toolsCalled.has(part.name),
  };
}

function longOnes(parts: readonly HeadPart[], tokensOf: TextSize): LongDescription[] {
  return parts
    .flatMap(({ label, description, notes }) => [
      { label, at: 'description', tokens: tokensOf(description) },
      ...notes
        .filter(({ key }) => key === 'description')
        .map(({ at, json }) => ({
          label,
          at: `${at}${at === '' ? '' : '.'}description`,
          tokens: tokensOf(json),
        })),
    ])
    .filter(({ tokens }) => tokens > LONG_DESCRIPTION_TOKENS)
    .sort((left, right) => right.tokens - left.tokens);
}

function keyTrims(parts: readonly HeadPart[], tokensOf: TextSize): [Trim, KeyTrim[]] {
  const byKey = new Map<string, KeyTrim>();
  for (const { key, json } of parts.flatMap(({ notes }) => notes)) {
    const known = byKey.get(key) ?? { key, tokens: 0, count: 0 };
    byKey.set(key, { key, tokens: known.tokens + tokensOf(json), count: known.count + 1 });
  }
  const { tokens, count } = byKey.get('description') ?? { tokens: 0, count: 0 };
  byKey.delete('description');
  return [{ tokens, count }, [...byKey.values()].sort((left, right) => right.tokens - left.tokens)];
}
