/**
 * A span of a model call → an exchange, where its content was captured, whoever made the span and in whatever dialect.
 * Attributes come as a plain object here, whatever a file or an SDK wraps them in. Pure.
 */
import type { Exchange, JsonObject } from '../exchange.ts';
import { stringIn } from '../json-value.ts';
import type { SpanDialect, SpanFacts } from './dialect.ts';
import { genAi } from './genai-dialect.ts';
import { openInference } from './openinference-dialect.ts';
import { traceloop } from './traceloop-dialect.ts';

export interface ModelSpan extends SpanFacts {
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
  readonly traceId: string | undefined;
  readonly hasFailed: boolean;
}

/** Content may sit on an event of the span instead of on the span. */
export const CONTENT_EVENT = 'gen_ai.client.inference.operation.details';

/** The first with a prompt wins: the one that keeps the most of the request comes first. */
const DIALECTS: readonly SpanDialect[] = [openInference, genAi, traceloop];

export function isModelCall(attributes: JsonObject): boolean {
  const kind = attributes['openinference.span.kind'];
  // A span that says in one dialect that it is no call says so for all of them.
  if (kind !== undefined) return kind === 'LLM';
  return DIALECTS.some((dialect) => dialect.isModelCall(attributes));
}

/** `undefined`: the span holds no prompt. */
export function spanExchange(span: ModelSpan): Exchange | undefined {
  const { attributes, startMs, endMs, traceId, hasFailed } = span;
  for (const dialect of DIALECTS) {
    if (!dialect.isModelCall(attributes)) continue;
    const traced = dialect.bodyOf(attributes);
    if (traced === undefined) continue;
    const thread = dialect.threadOf(attributes) ?? traceId;
    return {
      ...traced,
      atMs: startMs,
      endpoint: stringIn(attributes['server.address']),
      scope: {},
      suggestedScope: thread === undefined ? undefined : { thread },
      response: {
        ending: hasFailed ? 'failed' : 'completed',
        completedAtMs: endMs,
        ...dialect.responseOf(span),
      },
    };
  }
  return undefined;
}
