/**
 * Every attribute, span and metric name that we write or look for.
 *
 * Names under `gen_ai.` are copied from open-telemetry/semantic-conventions-genai, `docs/gen-ai/client-inference.md`
 * (schema `gen-ai-dev/1.42.0-dev`, status Development, read 2026-12-01). That repository has no release yet and the npm
 * package of the conventions lags behind its renames, hence the copy. `error.type`, `server.*` and `code.*` are stable core names.
 *
 * Invariant: nothing is invented under `gen_ai.`; what is ours lies under `prompt_cache.` (design contract §8).
 */

export const INSTRUMENTATION_NAME = 'prefixtrace';
export const SCHEMA_URL = 'https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev';

export const ATTR_GEN_AI_OPERATION_NAME = 'gen_ai.operation.name';
export const ATTR_GEN_AI_PROVIDER_NAME = 'gen_ai.provider.name';
/** Older name of `gen_ai.provider.name`: read, never written. */
export const ATTR_GEN_AI_SYSTEM = 'gen_ai.system';
export const ATTR_GEN_AI_CONVERSATION_ID = 'gen_ai.conversation.id';
export const ATTR_GEN_AI_REQUEST_MODEL = 'gen_ai.request.model';
/** Set only where it is true: absent means that no stream was asked for. */
export const ATTR_GEN_AI_REQUEST_STREAM = 'gen_ai.request.stream';
/** Seconds, of streams alone. */
export const ATTR_GEN_AI_RESPONSE_TIME_TO_FIRST_CHUNK = 'gen_ai.response.time_to_first_chunk';
export const ATTR_GEN_AI_RESPONSE_ID = 'gen_ai.response.id';
export const ATTR_GEN_AI_RESPONSE_MODEL = 'gen_ai.response.model';
/** Includes cached tokens. */
export const ATTR_GEN_AI_USAGE_INPUT_TOKENS = 'gen_ai.usage.input_tokens';
export const ATTR_GEN_AI_USAGE_OUTPUT_TOKENS = 'gen_ai.usage.output_tokens';
export const ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS = 'gen_ai.usage.cache_read.input_tokens';
/** Newer name (semantic-conventions-genai#440). */
export const ATTR_GEN_AI_USAGE_CACHE_WRITE_INPUT_TOKENS = 'gen_ai.usage.cache_write.input_tokens';
/** Older name of the same figure (core conventions up to 1.41, and the npm constants). */
export const ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS = 'gen_ai.usage.cache_creation.input_tokens';
/** Attempts beyond the first (stable HTTP conventions). */
export const ATTR_HTTP_REQUEST_RESEND_COUNT = 'http.request.resend_count';
export const ATTR_ERROR_TYPE = 'error.type';
export const ATTR_SERVER_ADDRESS = 'server.address';
export const ATTR_SERVER_PORT = 'server.port';

export const ATTR_CODE_FUNCTION_NAME = 'code.function.name';
export const ATTR_CODE_FILE_PATH = 'code.file.path';
export const ATTR_CODE_LINE_NUMBER = 'code.line.number';

/** OpenInference marks its spans so; `LLM` is a model call. */
export const ATTR_OPENINFERENCE_SPAN_KIND = 'openinference.span.kind';

export const SPAN_DIVERGENCE = 'prompt_cache.divergence';
export const SPAN_MISS = 'prompt_cache.miss';
/** Carries our attributes where the GenAI span of the call cannot any more; see `record-call.ts`. */
export const SPAN_CALL = 'prompt_cache.call';

export const ATTR_THREAD = 'prompt_cache.thread';
export const ATTR_PHASE = 'prompt_cache.phase';
export const ATTR_DELEGATION = 'prompt_cache.delegation';
export const ATTR_LINEAGE = 'prompt_cache.lineage';
export const ATTR_TURN = 'prompt_cache.turn';

export const ATTR_OUTCOME = 'prompt_cache.outcome';
export const ATTR_CERTAINTY = 'prompt_cache.certainty';
export const ATTR_MISS = 'prompt_cache.miss';
export const ATTR_EXPECTED = 'prompt_cache.expected';

export const ATTR_TOKENS_INPUT = 'prompt_cache.tokens.input';
export const ATTR_TOKENS_READ = 'prompt_cache.tokens.read';
export const ATTR_TOKENS_WRITTEN = 'prompt_cache.tokens.written';
export const ATTR_TOKENS_UNCACHED = 'prompt_cache.tokens.uncached';
export const ATTR_TOKENS_EXPECTED_READ = 'prompt_cache.tokens.expected_read';
export const ATTR_TOKENS_SHARED = 'prompt_cache.tokens.shared';
export const ATTR_TOKENS_BEHIND = 'prompt_cache.tokens.behind';
export const ATTR_TOKENS_REBILLED = 'prompt_cache.tokens.rebilled';
export const ATTR_TOKENS_METHOD = 'prompt_cache.tokens.method';
export const ATTR_TOKENS_TOOLS = 'prompt_cache.tokens.tools';
export const ATTR_TOKENS_SYSTEM = 'prompt_cache.tokens.system';
export const ATTR_TOKENS_MESSAGES = 'prompt_cache.tokens.messages';

export const ATTR_COST_USD = 'prompt_cache.cost.usd';
export const ATTR_COST_REBILLED_USD = 'prompt_cache.cost.rebilled_usd';
export const ATTR_PRICE_MODEL = 'prompt_cache.price.model';
export const ATTR_PRICE_DATE = 'prompt_cache.price.date';

/** What a miss or divergence cost in waiting; see `waiting.ts`. */
export const ATTR_WAITING_FIRST_BYTE_MS = 'prompt_cache.waiting.first_byte_ms';
export const ATTR_WAITING_HIT_MEDIAN_MS = 'prompt_cache.waiting.hit_median_ms';
export const ATTR_WAITING_EXTRA_MS = 'prompt_cache.waiting.extra_ms';
export const ATTR_WAITING_HITS = 'prompt_cache.waiting.hits';
/** Whether the times are those of streams; else the first byte comes after the whole answer was made. */
export const ATTR_WAITING_STREAMED = 'prompt_cache.waiting.streamed';

export const ATTR_PREFIX_ID = 'prompt_cache.prefix.id';
export const ATTR_LAYOUT = 'prompt_cache.layout';
/** Parts of the head with their tokens, one string each (`floor.ts`); only on calls whose head is new in their lineage. */
export const ATTR_FLOOR = 'prompt_cache.floor';
/** Seconds after the call for which its entry may be read, where that is documented. */
export const ATTR_LIFETIME_S = 'prompt_cache.lifetime_s';

export const ATTR_DIVERGENCE_COMPONENT = 'prompt_cache.divergence.component';
export const ATTR_DIVERGENCE_KIND = 'prompt_cache.divergence.kind';
export const ATTR_DIVERGENCE_PATH = 'prompt_cache.divergence.path';
export const ATTR_DIVERGENCE_LEAF = 'prompt_cache.divergence.leaf';
export const ATTR_DIVERGENCE_BYTE_OFFSET = 'prompt_cache.divergence.byte_offset';
export const ATTR_DIVERGENCE_LABEL = 'prompt_cache.divergence.label';
export const ATTR_DIVERGENCE_ADVICE = 'prompt_cache.divergence.advice';
export const ATTR_DIVERGENCE_BEFORE = 'prompt_cache.divergence.before';
export const ATTR_DIVERGENCE_AFTER = 'prompt_cache.divergence.after';
/** Of what differs: its length in bytes and a keyed hash, on the side that has it. */
export const ATTR_DIVERGENCE_BEFORE_BYTES = 'prompt_cache.divergence.before_bytes';
export const ATTR_DIVERGENCE_AFTER_BYTES = 'prompt_cache.divergence.after_bytes';
export const ATTR_DIVERGENCE_BEFORE_ID = 'prompt_cache.divergence.before_id';
export const ATTR_DIVERGENCE_AFTER_ID = 'prompt_cache.divergence.after_id';

export const ATTR_PROVIDER_REASON = 'prompt_cache.provider.reason';
export const ATTR_PROVIDER_TOKENS = 'prompt_cache.provider.tokens';
export const ATTR_PROVIDER_AGREES = 'prompt_cache.provider.agrees';

// Three names that the table of §8 does not list. The store is what `report` and `check` read, and without these it
// could not tell a finding from a harmless divergence, name what hides behind one, or count what nobody could read.
export const ATTR_FINDING = 'prompt_cache.finding';
/** One string per further divergence: `component kind path`. */
export const ATTR_DIVERGENCE_ALSO = 'prompt_cache.divergence.also';
/** Why the call could not be diagnosed; a short word, never content. */
export const ATTR_UNREADABLE = 'prompt_cache.unreadable';

/** Counters and one histogram; units are UCUM, amounts and things in braces. What each counts: `metrics.ts`. */
export const METRIC_CALLS = 'prompt_cache.calls';
export const METRIC_INPUT_TOKENS = 'prompt_cache.input_tokens';
export const METRIC_DIVERGENCES = 'prompt_cache.divergences';
export const METRIC_MISSES = 'prompt_cache.misses';
export const METRIC_REBILLED_TOKENS = 'prompt_cache.rebilled_tokens';
export const METRIC_REBILLED_COST = 'prompt_cache.rebilled_cost';
export const METRIC_UNREADABLE_CALLS = 'prompt_cache.unreadable_calls';
export const METRIC_DROPPED_RECORDS = 'prompt_cache.dropped_records';
export const METRIC_OVERHEAD_DURATION = 'prompt_cache.overhead.duration';

/** `read`, `written`, `uncached`, or `unknown` where the API did not say how its input splits. */
export const ATTR_TOKEN_KIND = 'prompt_cache.token.kind';
/** `caller`: the application waited for it; `background`: it ran while nothing waited. */
export const ATTR_OVERHEAD_PATH = 'prompt_cache.overhead.path';

/** Questions to and commits of heads that instances share; see `src/redis/health.ts`. */
export const METRIC_SHARED_HEADS = 'prompt_cache.shared_heads.steps';
/** `read` or `commit`. */
export const ATTR_SHARED_STEP = 'prompt_cache.shared_heads.step';
/** `ok`, `late`, `failed`, `skipped` or `foreign`. */
export const ATTR_SHARED_RESULT = 'prompt_cache.shared_heads.result';
