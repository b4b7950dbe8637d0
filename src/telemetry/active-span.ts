/**
 * The span that is active where a call is made: is it the GenAI span of this very call?
 *
 * Some clients (Anthropic's SDK, OpenInference, OpenLLMetry, the AI SDK) make one. A second one of ours would count the
 * usage twice, so we add to theirs. A span of an agent or a tool is not it: many calls run under one of those, and each
 * would overwrite the last. The OpenTelemetry API has no getter for attributes, hence the look at the SDK's field.
 */
import type { Span } from '@opentelemetry/api';
import {
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_PROVIDER_NAME,
  ATTR_GEN_AI_SYSTEM,
  ATTR_OPENINFERENCE_SPAN_KIND,
} from './semconv.ts';

/** Operations of the conventions that are not one model call. An unknown one counts as a call: double usage is worse. */
const NOT_INFERENCE: ReadonlySet<unknown> = new Set([
  'embeddings',
  'retrieval',
  'create_agent',
  'invoke_agent',
  'invoke_workflow',
  'execute_tool',
  'plan',
]);
const MEMORY_OPERATION = /(^|_)memory(_|$)/; // `search_memory`, `create_memory_store` …

export function isInferenceSpan(span: Span): boolean {
  const attributes = attributesOf(span);
  if (attributes === undefined) return false;
  const kind = attributes[ATTR_OPENINFERENCE_SPAN_KIND];
  if (kind !== undefined) return kind === 'LLM';
  const operation = attributes[ATTR_GEN_AI_OPERATION_NAME];
  if (operation !== undefined)
    return !NOT_INFERENCE.has(operation) && !MEMORY_OPERATION.test(String(operation));
  return attributes[ATTR_GEN_AI_PROVIDER_NAME] !== undefined || attributes[ATTR_GEN_AI_SYSTEM] !== undefined;
}

function attributesOf(span: Span): Readonly<Record<string, unknown>> | undefined {
  // An SDK's span has the field, one of the API alone has not. OpenInference wraps the SDK's span to mask what goes in.
  const { attributes: own, span: wrapped } = span as {
    attributes?: unknown;
    span?: { attributes?: unknown };
  };
  const attributes = own ?? wrapped?.attributes;
  return typeof attributes === 'object' && attributes !== null
    ? (attributes as Readonly<Record<string, unknown>>) // any object may be read by name; values are compared, not used
    : undefined;
}
