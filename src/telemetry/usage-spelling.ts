/**
 * Which name the cache write of our own span gets: the conventions renamed it, and backends know one or the other.
 *
 * By their opt-in: the older name by default, the newer one alone with `gen_ai_latest_experimental` in
 * `OTEL_SEMCONV_STABILITY_OPT_IN` (a list with commas), both with `gen_ai_latest_experimental/dup`. The last form is the
 * one that the HTTP, database and code conventions have for a time of change; those of GenAI do not name it.
 */
import * as semconv from './semconv.ts';

const OPT_IN = 'gen_ai_latest_experimental';

export function cacheWriteNames(environment: NodeJS.ProcessEnv = process.env): readonly string[] {
  const wanted = (environment.OTEL_SEMCONV_STABILITY_OPT_IN ?? '').split(',').map((each) => each.trim());
  const older = semconv.ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS;
  const newer = semconv.ATTR_GEN_AI_USAGE_CACHE_WRITE_INPUT_TOKENS;
  if (wanted.includes(`${OPT_IN}/dup`)) return [older, newer];
  return wanted.includes(OPT_IN) ? [newer] : [older];
}
