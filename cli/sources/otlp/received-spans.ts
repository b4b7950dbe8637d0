/**
 * What of a body is kept: spans that tell of calls as `prefixtrace` drew them, without any content, and spans of model calls
 * that others drew, with theirs, until they are diagnosed. All else is dropped at once.
 */
import type { JsonObject } from '../../../src/exchange.ts';
import { type TracedSpan, tracedSpans } from '../../../src/logs/formats/otlp.ts';
import { isModelCall } from '../../../src/spans/model-span.ts';
import { type StoredAttributes, type StoredSpan, spansOfTracesData } from '../../../src/store/otlp-json.ts';
import * as semconv from '../../../src/telemetry/semconv.ts';
import { spanKey } from '../span-call.ts';

export interface ReceivedSpans {
  /** Ours, and the model calls below or above which ours may hang. */
  readonly drawn: readonly StoredSpan[];
  /** Model calls of other instrumentations, in the order of their start. */
  readonly traced: readonly TracedCall[];
  /** Spans that are one or the other, or both. */
  readonly count: number;
}

export interface TracedCall {
  readonly key: string;
  readonly parentKey: string | undefined;
  readonly span: TracedSpan;
}

/** Texts that are no content, and that a reported call has or may come to have. */
const KEPT_TEXTS: ReadonlySet<string> = new Set([
  semconv.ATTR_GEN_AI_OPERATION_NAME,
  semconv.ATTR_GEN_AI_PROVIDER_NAME,
  semconv.ATTR_GEN_AI_SYSTEM,
  semconv.ATTR_GEN_AI_CONVERSATION_ID,
  semconv.ATTR_GEN_AI_REQUEST_MODEL,
  semconv.ATTR_GEN_AI_RESPONSE_MODEL,
  semconv.ATTR_SERVER_ADDRESS,
]);

export function receivedSpans(tracesData: JsonObject): ReceivedSpans {
  const drawn = spansOfTracesData(tracesData).filter(
    ({ attributes, scope }) => isOurs(attributes, scope.name) || isModelCall(attributes),
  );
  const traced = tracedSpans(tracesData).flatMap((span): TracedCall[] => {
    const { attributes, instrumentation, traceId, spanId, parentSpanId } = span;
    if (traceId === undefined || spanId === undefined) return [];
    if (isOurs(attributes, instrumentation) || !isModelCall(attributes)) return [];
    const keyOf = (id: string) => spanKey(traceId.toLowerCase(), id.toLowerCase());
    return [{ key: keyOf(spanId), parentKey: parentSpanId && keyOf(parentSpanId), span }];
  });
  const keys = new Set([...drawn.map(keyOfSpan), ...traced.map(({ key }) => key)]);
  return {
    count: keys.size,
    drawn: drawn.map(withoutContent),
    traced: traced.sort((left, right) => (left.span.startMs ?? 0) - (right.span.startMs ?? 0)),
  };
}

export function keyOfSpan({ traceId, spanId }: StoredSpan): string {
  return spanKey(traceId, spanId);
}

function isOurs(attributes: JsonObject | StoredAttributes, instrumentation: string | undefined): boolean {
  if (instrumentation === semconv.INSTRUMENTATION_NAME) return true;
  return attributes[semconv.ATTR_LINEAGE] !== undefined || attributes[semconv.ATTR_UNREADABLE] !== undefined;
}

/** Prompts, and messages of errors, which quote them. */
function withoutContent(span: StoredSpan): StoredSpan {
  const kept = Object.entries(span.attributes).filter(
    ([name, value]) =>
      name.startsWith('prompt_cache.') ||
      KEPT_TEXTS.has(name) ||
      typeof value === 'number' ||
      typeof value === 'boolean',
  );
  return { ...span, attributes: Object.fromEntries(kept), status: { code: span.status.code } };
}
