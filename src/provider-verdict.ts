/**
 * The provider's own cache diagnosis, put beside ours (providers.md §17). Both vendors name the component alone. "Not
 * found", "unavailable" and null are no statement about the prompt and are never read as "no change".
 */
import type { Divergence, Miss, ProviderVerdict } from './diagnosis.ts';
import { isObject } from './prompt/leaves.ts';

/** Reason code to the components and kinds that agree with it. */
const REASONS: Readonly<Record<string, readonly string[]>> = {
  model_changed: ['model', 'speed'],
  system_changed: ['system'],
  tools_changed: ['tools'],
  messages_changed: ['messages'],
  prompt_cache_key_changed: ['routing'],
  text_format_changed: ['parameters.response_schema'],
  reasoning_effort_changed: ['parameters.reasoning'],
  verbosity_changed: ['parameters'],
  context_compacted: ['messages.compacted'],
  input_changed: ['system', 'messages'],
  service_tier_changed: ['parameters.service_tier'],
};

export function readProviderVerdict(
  diagnostics: unknown,
  divergence: Divergence | null,
  miss: Miss | null,
): ProviderVerdict | null {
  const stated = statedReason(diagnostics);
  if (!stated) return null;
  const expected = REASONS[stated.reason];
  if (!expected) return { ...stated, agrees: null };
  const ours = [divergence?.component, divergence?.kind, divergence?.path, miss];
  return { ...stated, agrees: expected.some((name) => ours.includes(name)) };
}

function statedReason(diagnostics: unknown): { reason: string; tokens: number | null } | null {
  if (!isObject(diagnostics)) return null;
  const anthropic = diagnostics.cache_miss_reason;
  if (isObject(anthropic) && typeof anthropic.type === 'string') {
    return { reason: anthropic.type, tokens: countOf(anthropic.cache_missed_input_tokens) };
  }
  if (diagnostics.type === 'cache_miss' && typeof diagnostics.reason === 'string') {
    return { reason: diagnostics.reason, tokens: countOf(diagnostics.cache_missed_tokens) };
  }
  if (diagnostics.type === 'cache_hit') return { reason: 'cache_hit', tokens: null };
  return null;
}

function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}
