/**
 * The providers' documented cache rules as this server plays them, as data.
 * Read 2026-12-01; `shared/providers.md` names the page and date of each.
 * Where a provider documents nothing, or sources disagree, the comment says what was chosen here.
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** https://platform.claude.com/docs/en/build-with-claude/prompt-caching */
export const ANTHROPIC = {
  maxBreakpoints: 4,
  /** Block positions that a read looks at, the breakpoint itself included. */
  lookbackPositions: 20,
  ttlMs: { '5m': 5 * MINUTE_MS, '1h': HOUR_MS } as Readonly<Record<string, number>>,
};

/** Minimum cacheable prefix by start of the model id; the longest start that fits wins. Models not listed: 1,024. */
type MinimumTokens = readonly (readonly [string, number])[];

const ANTHROPIC_MINIMUM_TOKENS: MinimumTokens = [
  ['claude-fable-5', 512],
  ['claude-mythos-5', 512],
  ['claude-opus-5', 512],
  ['claude-opus-4-7', 2048],
  ['claude-mythos-preview', 2048],
  ['claude-3-5-haiku', 2048],
  ['claude-opus-4-6', 4096],
  ['claude-opus-4-5', 4096],
  ['claude-haiku-4-5', 4096],
];

/** https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html asks more of two of them. */
const BEDROCK_MINIMUM_TOKENS: MinimumTokens = [
  ...ANTHROPIC_MINIMUM_TOKENS.filter(([start]) => !/opus-4-7|mythos-preview/.test(start)),
  ['claude-opus-4-7', 4096],
  ['claude-mythos-preview', 4096],
];

export function anthropicMinimumTokens(model: string): number {
  return minimumTokensOf(model, ANTHROPIC_MINIMUM_TOKENS);
}

export function bedrockMinimumTokens(model: string): number {
  return minimumTokensOf(model, BEDROCK_MINIMUM_TOKENS);
}

function minimumTokensOf(model: string, minimums: MinimumTokens): number {
  const listed = minimums.filter(([start]) => model.startsWith(start));
  return listed.sort(([a], [b]) => b.length - a.length)[0]?.[1] ?? 1024;
}

/** Models before Opus 4.5 and Sonnet 4.6, and every Haiku, drop earlier thinking when a plain user turn follows. */
const STRIPS_EARLIER_THINKING =
  /^claude-(3|haiku|opus-4(-[01])?(-\d{8})?$|sonnet-4(-[05])?(-\d{8})?$|(opus|sonnet)-4-latest$)/;

export function stripsEarlierThinking(model: string): boolean {
  return STRIPS_EARLIER_THINKING.test(model);
}

/** https://developers.openai.com/api/docs/guides/prompt-caching */
export const OPENAI = {
  minimumTokens: 1024,
  maxWrites: 4,
  /** SDK 7.59.0 (2026-11-17). The guide says the first 2 and the latest 50, Azure the latest 50: the newest text wins. */
  maxExplicitLookups: 80,
  /** Earlier message ends that a read considers in implicit mode, the latest one not counted. */
  maxEarlierImplicitLookups: 20,
  ttlMs: { '30m': 30 * MINUTE_MS, '12h': 12 * HOUR_MS } as Readonly<Record<string, number>>,
};

/** How a model of OpenAI caches: at breakpoints (GPT-5.6 and later), or any shared prefix in steps (before). */
export type OpenAiCaching =
  | { readonly by: 'breakpoints' }
  | {
      readonly by: 'steps';
      readonly stepTokens: number;
      readonly idleMs: number;
      readonly maxAgeMs: number;
    };

export function openAiCaching(model: string, retention: unknown): OpenAiCaching {
  const version = /^gpt-(\d+)(?:\.(\d+))?(?=-|$)/.exec(model);
  const major = Number(version?.[1] ?? 0);
  const minor = Number(version?.[2] ?? 0);
  if (major > 5 || (major === 5 && minor >= 6)) return { by: 'breakpoints' };
  const day = { idleMs: 24 * HOUR_MS, maxAgeMs: 24 * HOUR_MS };
  // GPT-5.5 stores at intervals of 2,048 tokens and keeps for 24 h only; `cached_tokens` is still a multiple of 128.
  if (major === 5 && minor === 5) return { by: 'steps', stepTokens: 2048, ...day };
  // Both retentions: GPT-5 to 5.4 and GPT-4.1, where 24 h is the default without Zero Data Retention.
  const keepsForADay = major === 5 || model.startsWith('gpt-4.1');
  if (keepsForADay && retention !== 'in_memory') return { by: 'steps', stepTokens: 128, ...day };
  // "5 to 10 minutes" of inactivity, "at most one hour": the longer end, so that a miss here is a miss there.
  return { by: 'steps', stepTokens: 128, idleMs: 10 * MINUTE_MS, maxAgeMs: HOUR_MS };
}
