/**
 * What a diagnosed call looks like as attributes (design contract §8). Pure.
 *
 * Invariant: content is in the result only where an excerpt is given; everything else here is hashes, lengths, names of
 * places and our own words.
 */
import type { Attributes } from '@opentelemetry/api';
import type {
  CallCost,
  CallTokens,
  DiagnosedCall,
  Diagnosis,
  Divergence,
  Evidence,
  SizedText,
} from '../diagnosis.ts';
import { integer, knownOnly, type Pair } from './attribute-values.ts';
import type { Excerpt } from './excerpts.ts';
import { formatFloor } from './floor.ts';
import { formatLayout } from './layout.ts';
import type { PrefixId } from './prefix-id.ts';
import * as semconv from './semconv.ts';
import { type Waiting, waitingPairs } from './waiting.ts';

export function callAttributes(
  { diagnosis, evidence }: DiagnosedCall,
  prefixId: PrefixId,
  waiting?: Waiting,
): Attributes {
  const { scope, provider } = diagnosis;
  return knownOnly([
    [semconv.ATTR_THREAD, scope.thread],
    [semconv.ATTR_PHASE, scope.phase],
    [semconv.ATTR_DELEGATION, scope.delegation],
    [semconv.ATTR_LINEAGE, diagnosis.lineage],
    [semconv.ATTR_TURN, diagnosis.turn],
    [semconv.ATTR_FINDING, diagnosis.finding],
    [semconv.ATTR_TOKENS_TOOLS, integer(evidence.componentTokens.tools)],
    [semconv.ATTR_TOKENS_SYSTEM, integer(evidence.componentTokens.system)],
    [semconv.ATTR_TOKENS_MESSAGES, integer(evidence.componentTokens.messages)],
    ...promptPairs(evidence, prefixId),
    [semconv.ATTR_FLOOR, formatFloor(evidence.floor)],
    [semconv.ATTR_LIFETIME_S, evidence.lifetimeMs === null ? null : evidence.lifetimeMs / 1_000],
    [semconv.ATTR_PROVIDER_REASON, provider?.reason],
    [semconv.ATTR_PROVIDER_TOKENS, integer(provider?.tokens)],
    [semconv.ATTR_PROVIDER_AGREES, provider?.agrees],
    ...waitingPairs(waiting),
    ...verdictPairs(diagnosis),
    ...tokenPairs(diagnosis.tokens),
    ...costPairs(diagnosis.cost),
  ]);
}

/** Of a prompt that nobody saw, as in a transcript without bodies, there is no mark: an empty one would equal others. */
function promptPairs({ prefixHash, layout }: Evidence, prefixId: PrefixId): Pair[] {
  if (prefixHash === '') return [];
  return [
    [semconv.ATTR_PREFIX_ID, prefixId(prefixHash)],
    [semconv.ATTR_LAYOUT, formatLayout(layout)],
  ];
}

export function divergenceAttributes(
  divergence: Divergence,
  diagnosis: Diagnosis,
  excerpt: Excerpt | null,
  waiting?: Waiting,
): Attributes {
  return knownOnly([
    [semconv.ATTR_DIVERGENCE_COMPONENT, divergence.component],
    [semconv.ATTR_DIVERGENCE_KIND, divergence.kind],
    [semconv.ATTR_DIVERGENCE_PATH, divergence.path],
    [semconv.ATTR_DIVERGENCE_LEAF, divergence.leaf],
    [semconv.ATTR_DIVERGENCE_BYTE_OFFSET, divergence.byteOffset],
    [semconv.ATTR_DIVERGENCE_LABEL, divergence.label],
    [semconv.ATTR_DIVERGENCE_ADVICE, divergence.advice],
    [
      semconv.ATTR_DIVERGENCE_ALSO,
      divergence.also.length > 0
        ? divergence.also.map(({ component, kind, path }) => `${component} ${kind} ${path}`)
        : undefined,
    ],
    [semconv.ATTR_DIVERGENCE_BEFORE, excerpt?.before],
    [semconv.ATTR_DIVERGENCE_AFTER, excerpt?.after],
    ...waitingPairs(waiting),
    ...tokenPairs(diagnosis.tokens),
    ...costPairs(diagnosis.cost),
  ]);
}

/** What stands for the text where it is not exported: lengths, and ids that tell equal texts from different ones. */
export function changeAttributes(change: Evidence['change'], prefixId: PrefixId): Attributes {
  const idOf = (text: SizedText | null | undefined) => (text ? prefixId(text.hash) : null);
  return knownOnly([
    [semconv.ATTR_DIVERGENCE_BEFORE_BYTES, change?.before?.bytes],
    [semconv.ATTR_DIVERGENCE_AFTER_BYTES, change?.after?.bytes],
    [semconv.ATTR_DIVERGENCE_BEFORE_ID, idOf(change?.before)],
    [semconv.ATTR_DIVERGENCE_AFTER_ID, idOf(change?.after)],
  ]);
}

export function missAttributes(diagnosis: Diagnosis, waiting?: Waiting): Attributes {
  return knownOnly([
    ...waitingPairs(waiting),
    ...verdictPairs(diagnosis),
    ...tokenPairs(diagnosis.tokens),
    ...costPairs(diagnosis.cost),
  ]);
}

function verdictPairs(diagnosis: Diagnosis): Pair[] {
  return [
    [semconv.ATTR_OUTCOME, diagnosis.outcome],
    [semconv.ATTR_CERTAINTY, diagnosis.certainty],
    [semconv.ATTR_MISS, diagnosis.miss],
    [semconv.ATTR_EXPECTED, diagnosis.expected],
  ];
}

function tokenPairs(tokens: CallTokens): Pair[] {
  return [
    [semconv.ATTR_TOKENS_INPUT, integer(tokens.input)],
    [semconv.ATTR_TOKENS_READ, integer(tokens.cacheRead)],
    [semconv.ATTR_TOKENS_WRITTEN, integer(tokens.cacheWrite)],
    [semconv.ATTR_TOKENS_UNCACHED, integer(tokens.uncached)],
    [semconv.ATTR_TOKENS_EXPECTED_READ, integer(tokens.expectedRead)],
    [semconv.ATTR_TOKENS_SHARED, integer(tokens.shared)],
    [semconv.ATTR_TOKENS_BEHIND, integer(tokens.behind)],
    [semconv.ATTR_TOKENS_REBILLED, integer(tokens.rebilled)],
    [semconv.ATTR_TOKENS_METHOD, tokens.method],
  ];
}

function costPairs(cost: CallCost | null): Pair[] {
  return [
    [semconv.ATTR_COST_USD, cost?.usd],
    [semconv.ATTR_COST_REBILLED_USD, cost?.rebilledUsd],
    [semconv.ATTR_PRICE_MODEL, cost?.priceModel],
    [semconv.ATTR_PRICE_DATE, cost?.priceDate],
  ];
}
