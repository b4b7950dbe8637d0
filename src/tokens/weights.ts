/**
 * Tokens of each segment as far as they are known: counted where a count is there, by length for the rest. Only their
 * proportions are to be trusted: what they add up to is scaled to what usage reports, of this call or of earlier ones.
 */
import type { Fingerprint } from '../fingerprint/fingerprint.ts';
import type { Prompt } from '../prompt/prompt.ts';
import { sealedIn } from './segment-text.ts';

export interface Weights {
  readonly tokens: Float64Array;
  readonly total: number;
  /** By length alone. */
  readonly plainTotal: number;
  /** Whether nearly all of it is counted: then a factor that was measured on counts applies. */
  readonly isCounted: boolean;
}

const CHARACTERS_PER_TOKEN = 4;

/** A message costs some tokens beside its text: role and borders. Measured on OpenAI's chat models. */
const TOKENS_PER_MESSAGE = 4;

/** A tail that is not counted yet does not spoil the rest. */
const COUNTED_SHARE = 0.95;

/** Shorter segments are not searched for what is no text. */
const SHORTEST_SEALED = 2_048;

export function weigh(
  { lengths, content }: Fingerprint,
  prompt: Prompt | null,
  known?: (contentHash: bigint) => number | undefined,
): Weights {
  const tokens = new Float64Array(lengths.length);
  let total = 0;
  let plainTotal = 0;
  let countedTotal = 0;
  for (let index = 0; index < lengths.length; index += 1) {
    const plain = plainTokens(prompt, index, lengths[index] as number);
    const counted = known?.(content[index] as bigint);
    const weight = counted === undefined ? plain : counted + borderTokens(prompt, index);
    if (counted !== undefined) countedTotal += plain;
    plainTotal += plain;
    total += weight;
    tokens[index] = weight;
  }
  const isCounted = known !== undefined && countedTotal >= plainTotal * COUNTED_SHARE;
  return { tokens, total, plainTotal, isCounted };
}

/** Segments come in many shapes, so they are looked at only where it matters: this runs over all of them in each call. */
function plainTokens(prompt: Prompt | null, index: number, length: number): number {
  const segment = length < SHORTEST_SEALED ? undefined : prompt?.segments[index];
  if (segment === undefined || segment.component !== 'messages') return length / CHARACTERS_PER_TOKEN;
  const sealed = sealedIn(segment);
  return (length - sealed.characters) / CHARACTERS_PER_TOKEN + sealed.tokens;
}

function borderTokens(prompt: Prompt | null, index: number): number {
  return prompt?.segments[index]?.opensMessage ? TOKENS_PER_MESSAGE : 0;
}
