/** Stored spans of one call → a reported call: the contract of telemetry (design §8) read backwards. */
import type { CallTokens, Component, Divergence, Miss } from '../../src/diagnosis.ts';
import type { StoredSpan } from '../../src/store/otlp-json.ts';
import { parseFloor } from '../../src/telemetry/floor.ts';
import { parseLayout } from '../../src/telemetry/layout.ts';
import * as semconv from '../../src/telemetry/semconv.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
import { StoredValues } from './stored-values.ts';

export interface CallSpans {
  readonly call: StoredSpan;
  readonly divergence: StoredSpan | undefined;
  readonly miss: StoredSpan | undefined;
  /** The GenAI span around the call, where the call's own attributes stand on a span beside it. */
  readonly inference: StoredSpan | undefined;
}

/** What only the source as a whole knows. */
export interface Place {
  readonly index: number;
  readonly baseline: number | null;
  /** Lineage names start anew in each process; this one is unique in the source. */
  readonly lineage: string;
}

const COMPONENTS: readonly Component[] = [
  'model',
  'tools',
  'system',
  'parameters',
  'messages',
  'breakpoints',
];

export function callOfSpans({ call, divergence, miss, inference }: CallSpans, place: Place): ReportedCall {
  const values = new StoredValues(call.attributes);
  const inferenceValues = new StoredValues(inference?.attributes ?? call.attributes);
  const timed = inference ?? call;
  return {
    id: spanKey(call.traceId, call.spanId),
    index: place.index,
    source: null,
    at: new Date(timed.startMs).toISOString(),
    api: null,
    model:
      inferenceValues.text(semconv.ATTR_GEN_AI_REQUEST_MODEL) ??
      inferenceValues.text(semconv.ATTR_GEN_AI_RESPONSE_MODEL) ??
      values.text(semconv.ATTR_PRICE_MODEL),
    scope: {
      thread: values.text(semconv.ATTR_THREAD),
      phase: values.text(semconv.ATTR_PHASE),
      delegation: values.text(semconv.ATTR_DELEGATION),
    },
    lineage: place.lineage,
    turn: values.number(semconv.ATTR_TURN) ?? 1,
    baseline: place.baseline,
    divergence: divergence ? divergenceOf(new StoredValues(divergence.attributes)) : null,
    // Words of a later version stay: they print under their own name.
    miss: (values.text(semconv.ATTR_MISS) ??
      (miss && new StoredValues(miss.attributes).text(semconv.ATTR_MISS)) ??
      null) as Miss | null,
    expected: values.text(semconv.ATTR_EXPECTED),
    outcome: values.oneOf(semconv.ATTR_OUTCOME, ['hit', 'partial', 'miss', 'unknown']) ?? 'unknown',
    certainty: values.oneOf(semconv.ATTR_CERTAINTY, ['observed', 'inferred', 'unknown']) ?? 'unknown',
    finding: values.flag(semconv.ATTR_FINDING) ?? false,
    tokens: tokensOf(values),
    cost: costOf(values),
    provider: providerOf(values),
    outputTokens: inferenceValues.number(semconv.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS),
    durationMs: Math.max(0, timed.endMs - timed.startMs),
    timeToFirstByteMs: null,
    layout: parseLayout(values.text(semconv.ATTR_LAYOUT) ?? ''),
    floor: parseFloor(values.texts(semconv.ATTR_FLOOR)),
    change: divergence ? changeOf(new StoredValues(divergence.attributes)) : null,
    lifetimeMs: inMilliseconds(values.number(semconv.ATTR_LIFETIME_S)),
    excerpt: excerptOf(new StoredValues(divergence?.attributes ?? {})),
  };
}

export function spanKey(traceId: string, spanId: string): string {
  return `${traceId}-${spanId}`;
}

function divergenceOf(values: StoredValues): Divergence {
  const path = values.text(semconv.ATTR_DIVERGENCE_PATH) ?? '';
  return {
    component: values.oneOf(semconv.ATTR_DIVERGENCE_COMPONENT, COMPONENTS) ?? 'messages',
    kind: values.text(semconv.ATTR_DIVERGENCE_KIND) ?? 'unknown',
    path,
    leaf: values.text(semconv.ATTR_DIVERGENCE_LEAF) ?? path,
    byteOffset: values.number(semconv.ATTR_DIVERGENCE_BYTE_OFFSET),
    label: values.text(semconv.ATTR_DIVERGENCE_LABEL) ?? '',
    advice: values.text(semconv.ATTR_DIVERGENCE_ADVICE) ?? '',
    also: values.texts(semconv.ATTR_DIVERGENCE_ALSO).flatMap(alsoOf),
  };
}

/** `component kind path` */
function alsoOf(text: string): Divergence['also'][number][] {
  const [first, kind, ...path] = text.split(' ');
  const component = COMPONENTS.find((name) => name === first);
  return component === undefined || kind === undefined ? [] : [{ component, kind, path: path.join(' ') }];
}

function tokensOf(values: StoredValues): CallTokens {
  return {
    input:
      values.number(semconv.ATTR_TOKENS_INPUT) ?? values.number(semconv.ATTR_GEN_AI_USAGE_INPUT_TOKENS) ?? 0,
    cacheRead: values.number(semconv.ATTR_TOKENS_READ),
    cacheWrite: values.number(semconv.ATTR_TOKENS_WRITTEN),
    uncached: values.number(semconv.ATTR_TOKENS_UNCACHED),
    expectedRead: values.number(semconv.ATTR_TOKENS_EXPECTED_READ),
    shared: values.number(semconv.ATTR_TOKENS_SHARED) ?? 0,
    behind: values.number(semconv.ATTR_TOKENS_BEHIND) ?? 0,
    rebilled: values.number(semconv.ATTR_TOKENS_REBILLED),
    method: values.oneOf(semconv.ATTR_TOKENS_METHOD, ['usage', 'calibrated', 'estimated']) ?? 'estimated',
  };
}

function costOf(values: StoredValues): ReportedCall['cost'] {
  const usd = values.number(semconv.ATTR_COST_USD);
  const rebilledUsd = values.number(semconv.ATTR_COST_REBILLED_USD);
  if (usd === null && rebilledUsd === null) return null;
  return {
    usd,
    rebilledUsd,
    priceModel: values.text(semconv.ATTR_PRICE_MODEL) ?? '',
    priceDate: values.text(semconv.ATTR_PRICE_DATE) ?? '',
  };
}

function providerOf(values: StoredValues): ReportedCall['provider'] {
  const reason = values.text(semconv.ATTR_PROVIDER_REASON);
  if (reason === null) return null;
  return {
    reason,
    tokens: values.number(semconv.ATTR_PROVIDER_TOKENS),
    agrees: values.flag(semconv.ATTR_PROVIDER_AGREES),
  };
}

function changeOf(values: StoredValues): ReportedCall['change'] {
  const sized = (bytes: number | null, hash: string | null) =>
    bytes === null ? null : { bytes, hash: hash ?? '' };
  const before = sized(
    values.number(semconv.ATTR_DIVERGENCE_BEFORE_BYTES),
    values.text(semconv.ATTR_DIVERGENCE_BEFORE_ID),
  );
  const after = sized(
    values.number(semconv.ATTR_DIVERGENCE_AFTER_BYTES),
    values.text(semconv.ATTR_DIVERGENCE_AFTER_ID),
  );
  return before === null && after === null ? null : { before, after };
}

function inMilliseconds(seconds: number | null): number | null {
  return seconds === null ? null : seconds * 1_000;
}

function excerptOf(values: StoredValues): ReportedCall['excerpt'] {
  const before = values.text(semconv.ATTR_DIVERGENCE_BEFORE);
  const after = values.text(semconv.ATTR_DIVERGENCE_AFTER);
  return before === null && after === null ? null : { before: before ?? '', after: after ?? '' };
}
