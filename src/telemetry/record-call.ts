/**
 * Draws one ended call: on the GenAI span that its client made, else on a span of our own; a divergence or miss as a
 * child of it, with a link to the call that this one was compared with.
 *
 * All spans are made at the end, with explicit times: what a call was is known only then, and a call that never ends
 * leaves nothing behind.
 */
import type { Attributes, Context, HrTime, Link, Span, SpanContext, Tracer } from '@opentelemetry/api';
import type { DiagnosedCall } from '../diagnosis.ts';
import type { Unreadable } from '../engine.ts';
import type { ExchangeRequest, ExchangeResponse } from '../exchange.ts';
import { CLIENT_KIND, ERROR_STATUS, isValid, withSpan } from '../opentelemetry.ts';
import { reasonWord } from './attribute-values.ts';
import { callAttributes, changeAttributes, divergenceAttributes, missAttributes } from './attributes.ts';
import type { ExportExcerpt } from './excerpts.ts';
import { inferenceSpan } from './inference-span.ts';
import type { PrefixId } from './prefix-id.ts';
import type { RecentMap } from './recent-map.ts';
import * as semconv from './semconv.ts';
import type { Waiting } from './waiting.ts';

/** A request without its body, which may be megabytes: a span needs none of it, and the call may be open for minutes. */
export type RequestFacts = Pick<ExchangeRequest, 'api' | 'model' | 'atMs' | 'endpoint' | 'scope'>;

export interface EndedCall {
  /** As it was when the call was made. */
  readonly context: Context;
  readonly request: RequestFacts;
  readonly response: ExchangeResponse;
  readonly call: DiagnosedCall | Unreadable;
  readonly waiting: Waiting | undefined;
  /** Attributes of the line that made the call, where they are asked for. */
  readonly callSite: Attributes | undefined;
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

/**
 * `own`: the call has no span yet. `beneath`: it has a GenAI span, which ended or tells of another call already, so ours
 * hangs below it and repeats none of its usage. A span: that one carries our attributes already.
 */
export type CallSpan = 'own' | 'beneath' | Span;

export interface Drawing {
  /** Span of each call by its index, so that a divergence can link to the call that it was compared with. */
  readonly baselines: RecentMap<number, SpanContext>;
  readonly prefixId: PrefixId;
  readonly exportExcerpt: ExportExcerpt;
  readonly cacheWriteNames: readonly string[];
}

/** What we say on the span of the call, whoever made it. */
export function ourAttributes({ call, waiting, callSite }: EndedCall, prefixId: PrefixId): Attributes {
  const facts =
    'unreadable' in call
      ? { [semconv.ATTR_UNREADABLE]: reasonWord(call.unreadable) }
      : callAttributes(call, prefixId, waiting);
  return Object.assign(facts, callSite);
}

export function recordCall(ended: EndedCall, callSpan: CallSpan, tracer: Tracer, drawing: Drawing): void {
  const made = typeof callSpan === 'string' ? startCallSpan(ended, callSpan, tracer, drawing) : undefined;
  const span = typeof callSpan === 'string' ? made : callSpan;
  if (span === undefined) return;
  if (!('unreadable' in ended.call)) {
    drawChildren(ended, ended.call, withSpan(ended.context, span), tracer, drawing);
    const spanContext = span.spanContext();
    if (isValid(spanContext)) drawing.baselines.set(ended.call.diagnosis.index, spanContext);
  }
  made?.end(ended.endTime);
}

function startCallSpan(
  ended: EndedCall,
  place: 'own' | 'beneath',
  tracer: Tracer,
  { prefixId, cacheWriteNames }: Drawing,
): Span {
  const { request, response, call, context, startTime } = ended;
  if (place === 'beneath') {
    return tracer
      .startSpan(semconv.SPAN_CALL, { startTime }, context)
      .setAttributes(ourAttributes(ended, prefixId));
  }
  const diagnosed = 'unreadable' in call ? undefined : call;
  const inference = inferenceSpan(request, response, diagnosed, cacheWriteNames);
  // A sampler decides by what the conventions name. Ours are set after: given to `startSpan` each is checked three times.
  const span = tracer.startSpan(
    inference.name,
    { kind: CLIENT_KIND, startTime, attributes: inference.attributes },
    context,
  );
  span.setAttributes(ourAttributes(ended, prefixId));
  // Without the provider's message: error messages quote prompts.
  if (response.ending === 'failed') span.setStatus({ code: ERROR_STATUS });
  return span;
}

function drawChildren(
  { startTime, waiting }: EndedCall,
  { diagnosis, evidence }: DiagnosedCall,
  parent: Context,
  tracer: Tracer,
  { baselines, exportExcerpt, prefixId }: Drawing,
): void {
  const { divergence, miss, baseline } = diagnosis;
  const baselineSpan = baseline === null ? undefined : baselines.get(baseline);
  const links: Link[] = baselineSpan === undefined ? [] : [{ context: baselineSpan }];
  // A point in time, not an operation: with a length it would eat the call's own time in every trace view.
  const drawPoint = (name: string, attributes: Attributes): void =>
    tracer.startSpan(name, { startTime, links }, parent).setAttributes(attributes).end(startTime);
  if (divergence !== null) {
    const excerpt = exportExcerpt(evidence.excerpt, divergence);
    drawPoint(semconv.SPAN_DIVERGENCE, {
      ...divergenceAttributes(divergence, diagnosis, excerpt, waiting),
      ...changeAttributes(evidence.change, prefixId),
    });
  }
  if (miss !== null) drawPoint(semconv.SPAN_MISS, missAttributes(diagnosis, waiting));
}
