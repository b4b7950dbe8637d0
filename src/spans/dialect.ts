/**
 * Dialect: one way in which instrumentations write a model call on a span. Each says which spans are calls, and reads the
 * prompt, where it was captured, and what the response said.
 */
import type { ExchangeResponse, JsonObject } from '../exchange.ts';
import type { TracedBody } from './genai-messages.ts';

export interface SpanFacts {
  readonly attributes: JsonObject;
  /** The name of the library that made the span, where it is known. */
  readonly instrumentation?: string | undefined;
}

export interface SpanDialect {
  isModelCall(attributes: JsonObject): boolean;
  /** `undefined`: the span holds no prompt. */
  bodyOf(attributes: JsonObject): TracedBody | undefined;
  threadOf(attributes: JsonObject): string | undefined;
  responseOf(span: SpanFacts): Pick<ExchangeResponse, 'id' | 'model' | 'usage'>;
}
