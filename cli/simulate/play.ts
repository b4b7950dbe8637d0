/** The recording under one layout: each body changed, read and sent through the provider's rules, in recorded order. */
import { type CacheRules, rulesFor } from '../../src/cache/rules.ts';
import type { JsonObject } from '../../src/exchange.ts';
import { fingerprintOf } from '../../src/fingerprint/fingerprint.ts';
import type { Hasher } from '../../src/fingerprint/hash.ts';
import { headFacts } from '../../src/lineage/head.ts';
import type { Prompt } from '../../src/prompt/prompt.ts';
import { readPrompt } from '../../src/prompt/read.ts';
import type { TokenUsage } from '../../src/prompt/usage.ts';
import { TokenScale } from '../../src/tokens/estimate.ts';
import { weigh } from '../../src/tokens/weights.ts';
import type { Change, ChangedCall } from './changes/change.ts';
import type { RecordedCall } from './recorded-call.ts';
import { createReplay } from './replay.ts';

export interface PlayedCall {
  readonly call: RecordedCall;
  /** The rules that the recorded request falls under. */
  readonly rules: CacheRules;
  readonly expected: TokenUsage;
  readonly isChanged: boolean;
}

export interface Played {
  readonly calls: readonly PlayedCall[];
  /** Why a change could not be made to some of the calls, by the change's name. */
  readonly obstacles: ReadonlyMap<Change['name'], string>;
}

export function play(calls: readonly RecordedCall[], changes: readonly Change[], hasher: Hasher): Played {
  const replay = createReplay(hasher);
  const obstacles = new Map<Change['name'], string>();
  const played = calls.map((call, index) => {
    const body = JSON.parse(call.request.body) as JsonObject; // the recording was read before
    const recorded = read(call, body);
    const rules = rulesOf(call, recorded);
    const changed: ChangedCall = { api: call.request.api, lineage: call.lineage, rules };
    const next = changes.reduce((before, change) => {
      const obstacle = change.obstacle(changed);
      if (obstacle === null) return change.apply(before, changed);
      obstacles.set(change.name, obstacle);
      return before;
    }, body);
    const prompt = next === body ? recorded : read(call, next);
    const fingerprint = fingerprintOf(prompt, hasher);
    const expected = replay({
      call,
      index,
      prompt,
      fingerprint,
      facts: headFacts(call.request, prompt),
      rules: next === body ? rules : rulesOf(call, prompt),
      scale: new TokenScale(
        fingerprint,
        weigh(fingerprint, prompt),
        { tokens: call.inputTokens, method: call.method },
        call.messageRate,
      ),
    });
    return { call, rules, expected, isChanged: next !== body };
  });
  return { calls: played, obstacles };
}

function read({ request }: RecordedCall, body: JsonObject): Prompt {
  const reading = readPrompt({ ...request, body });
  if ('unreadable' in reading) throw new Error(`a changed body cannot be read: ${reading.unreadable}`);
  return reading.prompt;
}

function rulesOf({ request }: RecordedCall, prompt: Prompt): CacheRules {
  return rulesFor({
    api: request.api,
    model: prompt.model,
    endpoint: request.endpoint ?? null,
    requestTtlMs: prompt.requestTtlMs,
    breakpoints: prompt.breakpoints.length,
  });
}
