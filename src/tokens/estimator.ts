/**
 * Token figures of a prompt: from usage wherever it is there, else from what is known of the conversation and the model.
 *
 * Without usage, in this order: the baseline's total, where that rests on a report, plus what was added since; the weight of the prompt times the
 * model's factor; the bare weight. Weights are counts as far as they are known. Counts are asked for only where a call
 * has no usage, so a process whose calls all report theirs never loads a tokenizer.
 */
import type { Head } from '../lineage/head.ts';
import { isSummedUsage } from '../lineage/summed-usage.ts';
import type { Prompt } from '../prompt/prompt.ts';
import type { TokenUsage } from '../prompt/usage.ts';
import { Calibration, cautiousFactor, isPlausible, type Measure } from './calibration.ts';
import type { TokenCounter } from './counter.ts';
import { encodingOf } from './encoding.ts';
import { GrowthRates, TokenScale, type Total } from './estimate.ts';
import type { Learned } from './learned.ts';
import { sealedIn, segmentText } from './segment-text.ts';
import { type Weights, weigh } from './weights.ts';

export interface SizedCall {
  readonly head: Head;
  /** Held by the call, whatever became of the head's. */
  readonly prompt: Prompt;
  readonly baseline: Head | null;
  /** The baseline is another conversation with a head like this one's. */
  readonly isSibling?: boolean;
}

/** Latest calls with usage that are held to learn a model's factor from, should a call without usage come. */
const MOST_REFERENCES = 8;
const MOST_MODELS = 500;

export class TokenEstimator {
  readonly #counter: TokenCounter | undefined;
  readonly #rates = new GrowthRates();
  readonly #calibration = new Calibration();
  /** Owner of the map. The prompts in it are those of live heads, or were a call ago. */
  readonly #references = new Map<string | null, Head>();
  /** Estimates that rest on a report: the next call of the conversation goes on from there. */
  readonly #calibrated = new WeakMap<Head, number>();
  /** Calls that each model's figures were learned from, here and elsewhere. */
  readonly #learnedCalls = new Map<string | null, number>();

  constructor(counter: TokenCounter | undefined) {
    this.#counter = counter;
  }

  scaleOf(call: SizedCall, usage: TokenUsage | null): TokenScale {
    const { head, prompt } = call;
    const weights = this.#weigh(head, prompt);
    const total: Total = usage ? { tokens: usage.input, method: 'usage' } : this.#estimate(call, weights);
    return new TokenScale(head.fingerprint, weights, total, this.#rates.of(head.facts.model));
  }

  /** Lets the counts of a call without usage be made. They are there for this call only if `settled` is awaited. */
  ask({ head, prompt, baseline }: SizedCall): void {
    const { model } = head.facts;
    if (!this.#counter) return;
    this.#ask(head, prompt);
    const reference = baseline?.outcome.usage ? baseline : this.#references.get(model);
    if (reference?.prompt && reference.facts.model === model) this.#ask(reference, reference.prompt);
  }

  async settled(): Promise<void> {
    await this.#counter?.settled();
  }

  learn({ head, prompt }: SizedCall, usage: TokenUsage, { weights }: TokenScale): void {
    // A report that covers more than the body shows teaches nothing.
    if (prompt.missingHistory !== null) return;
    const { model } = head.facts;
    this.#countLearned(model, (this.#learnedCalls.get(model) ?? 0) + 1);
    this.#calibration.learn(model, 'lengths', usage.input, weights.plainTotal);
    if (weights.isCounted) this.#calibration.learn(model, 'counts', usage.input, weights.total);
    this.#references.delete(model);
    this.#references.set(model, head);
    if (this.#references.size > MOST_REFERENCES)
      this.#references.delete(this.#references.keys().next().value as string | null);
  }

  /** The call only grew: what was added, against what the total rose by. */
  learnGrowth(before: Head, now: Head, usage: TokenUsage | null): void {
    const old = before.outcome.usage;
    if (!old || !usage) return;
    const added = now.fingerprint.lengths.subarray(before.fingerprint.lengths.length);
    const characters = added.reduce((total, length) => total + length, 0);
    this.#rates.learn(now.facts.model, usage.input - old.input, characters);
  }

  /** What goes along with a head. */
  learnedOf(head: Head): Learned {
    const { model } = head.facts;
    return {
      calls: this.#learnedCalls.get(model) ?? 0,
      growth: this.#rates.sumsOf(model),
      lengths: this.#calibration.sumsOf(model, 'lengths'),
      estimated: this.#calibrated.get(head) ?? null,
    };
  }

  /** What came along with a head of another process, where that has seen more of the model. */
  adopt(head: Head, { calls, growth, lengths, estimated }: Learned): void {
    const { model } = head.facts;
    if (estimated !== null) this.#calibrated.set(head, estimated);
    if (calls <= (this.#learnedCalls.get(model) ?? 0)) return;
    this.#countLearned(model, calls);
    if (growth) this.#rates.adopt(model, growth);
    if (lengths) this.#calibration.adopt(model, 'lengths', lengths);
  }

  /** The cap holds against ever new model names. */
  #countLearned(model: string | null, calls: number): void {
    this.#learnedCalls.set(model, calls);
    if (this.#learnedCalls.size > MOST_MODELS)
      this.#learnedCalls.delete(this.#learnedCalls.keys().next().value as string | null);
  }

  #estimate(call: SizedCall, weights: Weights): Total {
    const { head } = call;
    const tokens =
      this.#calibrated.get(head) ??
      this.#fromBaseline(call, weights) ??
      this.#fromModel(head.facts.model, weights);
    if (tokens === null) return { tokens: Math.round(weights.total), method: 'estimated' };
    this.#calibrated.set(head, tokens);
    return { tokens: Math.round(tokens), method: 'calibrated' };
  }

  #fromBaseline({ head, prompt, baseline, isSibling }: SizedCall, weights: Weights): number | null {
    if (baseline?.facts.model !== head.facts.model || isSummedUsage(prompt, baseline)) return null;
    const reported = baseline.outcome.usage?.input ?? this.#calibrated.get(baseline);
    if (reported === undefined) return null;
    const earlier = this.#weigh(baseline, baseline.prompt);
    const measure = weights.isCounted && earlier.isCounted ? 'counts' : 'lengths';
    const before = weighed(earlier, measure);
    // Of another conversation's total only so much carries over as its body explains.
    if (before === 0 || (isSibling && !isPlausible(reported, before))) return null;
    return grown(reported, before, weighed(weights, measure));
  }

  #fromModel(model: string | null, weights: Weights): number | null {
    if (weights.isCounted) {
      const factor = this.#calibration.factorOf(model, 'counts') ?? this.#learnFromReference(model);
      if (factor !== null) return weights.total * factor;
    }
    const factor = this.#calibration.factorOf(model, 'lengths');
    return factor === null ? null : weights.plainTotal * factor;
  }

  /** The model's calls with usage came before anything was counted: by now the latest of them may be. */
  #learnFromReference(model: string | null): number | null {
    const reference = this.#references.get(model);
    const usage = reference?.outcome.usage;
    if (!reference?.prompt || !usage) return null;
    const { isCounted, total } = this.#weigh(reference, reference.prompt);
    if (isCounted) this.#calibration.learn(model, 'counts', usage.input, total);
    return this.#calibration.factorOf(model, 'counts');
  }

  #weigh({ fingerprint, facts }: Head, prompt: Prompt | null): Weights {
    const counter = this.#counter;
    if (counter === undefined || counter.isEmpty) return weigh(fingerprint, prompt);
    const encoding = encodingOf(facts.model);
    return weigh(fingerprint, prompt, (hash) => counter.known(hash, encoding));
  }

  #ask({ fingerprint, facts }: Head, { segments }: Prompt): void {
    const items = segments.map((segment, index) => ({
      hash: fingerprint.content[index] as bigint,
      read: () => ({ text: segmentText(segment), extraTokens: sealedIn(segment).tokens }),
    }));
    this.#counter?.ask(items, encodingOf(facts.model));
  }
}

function weighed(weights: Weights, measure: Measure): number {
  return measure === 'counts' ? weights.total : weights.plainTotal;
}

/** Tokens of a prompt that weighs `now`, where an earlier one of the conversation had `tokens` and weighed `before`. */
function grown(tokens: number, before: number, now: number): number {
  if (now < before) return now * (tokens / before);
  // A body that shows only part of the prompt has a factor that its growth does not share.
  return tokens + (now - before) * Math.min(2, Math.max(0.5, cautiousFactor(tokens, before)));
}
