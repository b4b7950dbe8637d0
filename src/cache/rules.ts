/**
 * What is documented of each provider's prompt cache, as data (design §4; facts and their sources: providers.md, 2026-12-01).
 * Looked up by what the traffic shows: API, model, host. What is not documented is not claimed: `isDocumented` says so.
 */
import type { Api } from '../exchange.ts';

/** The day on which the sources were read. */
export const RULES_DATE = '2026-12-01';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

export interface CacheRules {
  readonly provider: string;
  /** `explicit`: entries are written at cache marks alone and read there. `implicit`: every prompt is cached as it passes. */
  readonly style: 'explicit' | 'implicit';
  /** The provider sets a mark of its own at the end of the newest message, unless the request forbids it. */
  readonly setsMarks: boolean;
  readonly minimumTokens: number;
  /** Time without use after which an entry counts as gone, where a mark does not say otherwise. */
  readonly ttlMs: number;
  /** Reads come in multiples of this. */
  readonly granularityTokens: number;
  /** Block positions, the mark's own included, that a reader looks back. */
  readonly lookbackPositions: number;
  readonly maximumBreakpoints: number;
  /** Share of the expected read that counts as noise. */
  readonly noise: number;
  /** Without it, requests with one prefix may land on different machines. */
  readonly routingField: string | null;
  /** Messages with an image anywhere and messages without share no entry. */
  readonly imagesSplitMessages: boolean;
  /** The API drops earlier thinking when a plain user message follows. */
  readonly dropsThinking: boolean;
}

const EXPLICIT: CacheRules = {
  provider: 'anthropic',
  style: 'explicit',
  setsMarks: false,
  minimumTokens: 1_024,
  ttlMs: 5 * MINUTE_MS,
  granularityTokens: 1,
  lookbackPositions: 20,
  maximumBreakpoints: 4,
  noise: 0.01,
  routingField: null,
  imagesSplitMessages: false,
  dropsThinking: false,
};

const IMPLICIT: CacheRules = {
  provider: 'unknown',
  style: 'implicit',
  setsMarks: false,
  minimumTokens: 1_024,
  ttlMs: 24 * HOUR_MS,
  granularityTokens: 128,
  lookbackPositions: Number.POSITIVE_INFINITY,
  maximumBreakpoints: Number.POSITIVE_INFINITY,
  noise: 0.05,
  routingField: null,
  imagesSplitMessages: false,
  dropsThinking: false,
};

export interface Asked {
  readonly api: Api;
  readonly model: string | null;
  readonly endpoint: string | null;
  /** TTL that the request asked for as a whole. */
  readonly requestTtlMs: number | null;
  readonly breakpoints: number;
}

export function rulesFor(asked: Asked): CacheRules {
  const model = (asked.model ?? '').toLowerCase();
  if (/claude|fable|mythos/.test(model)) return claudeRules(model, asked.api);
  if (asked.api === 'bedrock.converse') return bedrockRules(model);
  if (/^(.*\/)?gemini/.test(model) || asked.api === 'google.generateContent') return geminiRules(model);
  if (/^(.*\/)?(gpt|o\d|chatgpt|codex)/.test(model)) return openaiRules(model, asked);
  return otherRules(model, asked);
}

/** Longest match first. Sonnet 5.5, Haiku 5.5, Fable 5.2 and Mythos 5.2 are not documented: the family's figure is taken. */
const CLAUDE_MINIMUMS: readonly [RegExp, number][] = [
  [/mythos-preview/, 2_048],
  [/(fable|mythos)-5|opus-5/, 512],
  [/opus-4-?[.-]?7/, 2_048],
  [/opus-4-?[.-]?(5|6)|haiku-4-?[.-]?5/, 4_096],
  [/3-5-haiku|haiku-3-?[.-]?5/, 2_048],
  [/3-haiku|haiku-3/, 2_048],
];

function claudeRules(model: string, api: Api): CacheRules {
  // Bedrock differs from the Claude API for Opus 4.7 and Mythos Preview (AWS prompt-caching page).
  const isBedrock = api === 'bedrock.converse' || /^anthropic\./.test(model);
  const minimum = CLAUDE_MINIMUMS.find(([pattern]) => pattern.test(model))?.[1] ?? 1_024;
  return {
    ...EXPLICIT,
    provider: isBedrock ? 'bedrock' : 'anthropic',
    minimumTokens: isBedrock && minimum === 2_048 && /opus-4|mythos/.test(model) ? 4_096 : minimum,
    imagesSplitMessages: true,
    dropsThinking: isOlderThinkingModel(model),
  };
}

/** Opus before 4.5, Sonnet before 4.6 and every Haiku up to 4.5 (extended-thinking page). */
function isOlderThinkingModel(model: string): boolean {
  if (/haiku-(3|4)|3-5-haiku|3-haiku/.test(model)) return true;
  if (/3-7-sonnet|3-5-sonnet|3-opus/.test(model)) return true;
  const version = /(opus|sonnet)-(\d+)(?:[.-](\d{1,2}))?(?!\d)/.exec(model);
  if (!version) return false;
  const number = Number(version[2]) + Number(version[3] ?? 0) / 10;
  return number < (version[1] === 'opus' ? 4.5 : 4.6);
}

function bedrockRules(model: string): CacheRules {
  return { ...EXPLICIT, provider: 'bedrock', minimumTokens: /nova/.test(model) ? 1_000 : 1_024, noise: 0.02 };
}

function geminiRules(model: string): CacheRules {
  const minimumTokens = /gemini-(1|2)\b|gemini-2\.5/.test(model) ? 2_048 : 4_096;
  // "Similar prefix within a short time": no TTL is documented; recorded reads fall by a few percent without a cause.
  return {
    ...IMPLICIT,
    provider: 'google',
    minimumTokens,
    granularityTokens: 1,
    noise: 0.08,
    ttlMs: HOUR_MS,
  };
}

function openaiRules(model: string, { requestTtlMs }: Asked): CacheRules {
  const version = Number(/gpt-(\d+(?:\.\d+)?)/.exec(model)?.[1] ?? 4);
  if (version >= 5.6) {
    return {
      ...EXPLICIT,
      provider: 'openai',
      setsMarks: true,
      ttlMs: requestTtlMs ?? 30 * MINUTE_MS,
      lookbackPositions: Number.POSITIVE_INFINITY,
      maximumBreakpoints: Number.POSITIVE_INFINITY,
      noise: 0.05,
    };
  }
  const retentionMs = requestTtlMs ?? (version >= 4.1 ? 24 * HOUR_MS : HOUR_MS);
  return { ...IMPLICIT, provider: 'openai', ttlMs: retentionMs, routingField: 'prompt_cache_key' };
}

/** Providers that speak OpenAI's or Anthropic's API. */
const OTHERS: readonly [RegExp, Partial<CacheRules>][] = [
  [/deepseek/, { provider: 'deepseek', minimumTokens: 64, granularityTokens: 64 }],
  [/grok/, { provider: 'x_ai', minimumTokens: 128, routingField: 'x-grok-conv-id' }],
  [
    /mistral|ministral|codestral|magistral|devstral/,
    { provider: 'mistral_ai', minimumTokens: 64, granularityTokens: 64, routingField: 'prompt_cache_key' },
  ],
  [
    /kimi|moonshot/,
    { provider: 'moonshot_ai', minimumTokens: 256, granularityTokens: 256, ttlMs: 5 * MINUTE_MS },
  ],
  [/qwen/, { provider: 'qwen', ttlMs: HOUR_MS }],
  [/gpt-oss|llama|groq/, { provider: 'groq', minimumTokens: 128, ttlMs: 2 * HOUR_MS }],
  [/glm|minimax/, { provider: 'unknown', minimumTokens: 0, granularityTokens: 1 }],
];

function otherRules(model: string, asked: Asked): CacheRules {
  const found = OTHERS.find(([pattern]) => pattern.test(model))?.[1] ?? {};
  // Qwen's explicit and implicit caches exclude each other within one request (DashScope context-cache page).
  if (found.provider === 'qwen' && asked.breakpoints > 0) return { ...EXPLICIT, provider: 'qwen' };
  return { ...IMPLICIT, ...found, ...(asked.requestTtlMs === null ? {} : { ttlMs: asked.requestTtlMs }) };
}
