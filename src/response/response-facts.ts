/**
 * What is kept of a response: id, model, usage and little else, whatever the API calls it. Never content.
 *
 * Facts grow as the response passes; a later statement completes an earlier one. Absent stays absent: unknown is not zero.
 */

export interface ResponseFacts {
  id?: string;
  model?: string;
  provider?: string;
  serviceTier?: string;
  usage?: Record<string, unknown>;
  error?: { readonly type?: string | undefined; readonly message?: string | undefined };
  diagnostics?: unknown;
}

/** The top-level members of a response, or of an event's payload, that state a fact. */
export const FACT_MEMBERS: ReadonlySet<string> = new Set([
  'id',
  'responseId',
  'model',
  'modelVersion',
  'provider',
  'service_tier',
  'serviceTier',
  'usage',
  'usageMetadata',
  'x_groq',
  'prompt_eval_count',
  'prompt_eval_cached_count',
  'eval_count',
  'error',
  'diagnostics',
  'prompt_cache_diagnostics',
]);

/** Error texts may quote the request, and only their beginning says what went wrong. */
const MAX_ERROR_CHARS = 500;

export function absorbFacts(facts: ResponseFacts, stated: unknown): void {
  if (!isRecord(stated)) return;
  const groq = stated.x_groq;
  const usage =
    asRecord(stated.usage) ??
    asRecord(stated.usageMetadata) ??
    asRecord(isRecord(groq) ? groq.usage : undefined) ??
    ollamaUsage(stated);
  const id = asText(stated.id) ?? asText(stated.responseId);
  const model = asText(stated.model) ?? asText(stated.modelVersion);
  const provider = asText(stated.provider);
  const serviceTier = tierOf(stated, usage);
  if (id !== undefined) facts.id = id;
  if (model !== undefined) facts.model = model;
  if (provider !== undefined) facts.provider = provider;
  if (serviceTier !== undefined) facts.serviceTier = serviceTier;
  if (usage !== undefined) facts.usage = completed(facts.usage, usage);
  // `null` is an answer of its own here: asked for, and nothing found.
  if ('diagnostics' in stated) facts.diagnostics = stated.diagnostics;
  if ('prompt_cache_diagnostics' in stated) facts.diagnostics = stated.prompt_cache_diagnostics;
  if (stated.error !== undefined && stated.error !== null) facts.error = errorOf(stated.error);
}

/** Ollama's own API states its counts beside the answer, the ones that it knows. */
function ollamaUsage(stated: Record<string, unknown>): Record<string, unknown> | undefined {
  const { prompt_eval_count, prompt_eval_cached_count, eval_count } = stated;
  if (prompt_eval_count === undefined) return undefined;
  return {
    prompt_eval_count,
    ...(prompt_eval_cached_count !== undefined && { prompt_eval_cached_count }),
    ...(eval_count !== undefined && { eval_count }),
  };
}

/** The forms of an error: OpenAI and Anthropic `{type, message}`, Google `{status, message}`, plain text elsewhere. */
export function errorOf(error: unknown): NonNullable<ResponseFacts['error']> {
  if (!isRecord(error)) return { message: String(error).slice(0, MAX_ERROR_CHARS) };
  return {
    type: asText(error.type) ?? asText(error.status) ?? asText(error.code),
    message: asText(error.message)?.slice(0, MAX_ERROR_CHARS),
  };
}

/**
 * Anthropic's stream states usage twice, and the second time leaves out or nulls what the first time had (the split of
 * writes by lifetime), so a later statement overrides by member and only where it says something.
 */
function completed(
  earlier: Record<string, unknown> | undefined,
  later: Record<string, unknown>,
): Record<string, unknown> {
  if (earlier === undefined) return later;
  const merged = { ...earlier };
  for (const [name, value] of Object.entries(later)) {
    if (value !== null || merged[name] === undefined) merged[name] = value;
  }
  return merged;
}

function tierOf(
  stated: Record<string, unknown>,
  usage: Record<string, unknown> | undefined,
): string | undefined {
  const bedrock = stated.serviceTier;
  return (
    asText(stated.service_tier) ??
    asText(usage?.service_tier) ??
    asText(isRecord(bedrock) ? bedrock.type : undefined)
  );
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asRecord(value: unknown): Record<string, unknown> | undefined {
  return isRecord(value) ? value : undefined;
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
