/**
 * The pipeline, the same live and offline:
 *
 *   exchange ─► prompt ─► fingerprint ─► baseline ─► divergence ─► verdict
 *
 * `start` goes as far as the baseline while the network waits; `finish` joins the response. Where heads are shared with
 * other processes the baseline waits for their answer, and no longer than for the response.
 */
import { Entries } from './cache/entries.ts';
import { lifetimeOf } from './cache/lifetime.ts';
import { passedTokens, recordPassed } from './cache/passed.ts';
import { recordEntries } from './cache/record.ts';
import { rulesFor } from './cache/rules.ts';
import { simulate } from './cache/simulate.ts';
import { judge } from './cache/verdict.ts';
import { loadPrices, type PriceOverrides, type Prices } from './cost/prices.ts';
import { describe } from './describe.ts';
import type { DiagnosedCall, Diagnosis } from './diagnosis.ts';
import { type Comparison, changedAlias, changedSuspect, compare } from './divergence/between.ts';
import type { Engine, StartedCall, Unreadable } from './engine.ts';
import type { Exchange, ExchangeRequest, ExchangeResponse } from './exchange.ts';
import { expectedRewrite } from './expected.ts';
import { type Fingerprint, fingerprintOf, fingerprintPieces } from './fingerprint/fingerprint.ts';
import { type Hasher, loadHasher } from './fingerprint/hash.ts';
import { type Baseline, chooseBaseline } from './lineage/choose.ts';
import { type Head, headFacts, IN_FLIGHT, mayBeBaseline } from './lineage/head.ts';
import { DEFAULT_HEAD_LIMITS, type HeadLimits, Heads, type LikelyHead } from './lineage/heads.ts';
import { completeHistory } from './lineage/history.ts';
import { settle } from './lineage/settle.ts';
import type { HeadStore } from './lineage/shared/head-store.ts';
import { mergeHeads } from './lineage/shared/merge.ts';
import { type FoundHeads, NOTHING_FOUND, SharedHeads } from './lineage/shared/shared-heads.ts';
import { isSummedUsage } from './lineage/summed-usage.ts';
import type { Prompt } from './prompt/prompt.ts';
import { readPrompt } from './prompt/read.ts';
import type { Reading } from './prompt/reading.ts';
import { readUsage } from './prompt/usage.ts';
import { suggestScope } from './suggested-scope.ts';
import { createTokenCounter, type TokenCounter } from './tokens/counter.ts';
import { type SizedCall, TokenEstimator } from './tokens/estimator.ts';

export interface EngineOptions {
  /** Put in front of lineage names, so that several processes can write into one place. */
  readonly lineagePrefix?: string | undefined;
  readonly headLimits?: Partial<HeadLimits> | undefined;
  /** Heads that other processes share, beside those that are kept here. */
  readonly heads?: HeadStore | undefined;
  /** USD per million tokens by model id; wins over the bundled table. */
  readonly prices?: PriceOverrides | undefined;
  /** Counts tokens where calls report no usage; without one they are estimated by length. Its maker closes it. */
  readonly tokenCounter?: TokenCounter | undefined;
}

export async function createEngine(options: EngineOptions = {}): Promise<Engine> {
  const [hasher, prices] = await Promise.all([loadHasher(), loadPrices(options.prices)]);
  return new DiagnosisEngine(hasher, prices, options);
}

/** Diagnoses exchanges in the given order. A body that cannot be read has no diagnosis. */
export async function diagnose(
  exchanges: Iterable<Exchange> | AsyncIterable<Exchange>,
  options: EngineOptions = {},
): Promise<Diagnosis[]> {
  const tokenCounter = options.tokenCounter ?? createTokenCounter();
  try {
    const engine = await createEngine({ ...options, tokenCounter });
    const diagnoses: Diagnosis[] = [];
    for await (const exchange of exchanges) {
      const started = engine.start(exchange);
      await started.prepare?.(exchange.response);
      const call = started.finish(exchange.response);
      if ('diagnosis' in call) diagnoses.push(call.diagnosis);
    }
    return diagnoses;
  } finally {
    if (options.tokenCounter === undefined) await tokenCounter.close();
  }
}

/** A call between `start` and `finish`. It holds both prompts, whatever the store of heads drops meanwhile. */
interface RunningCall {
  readonly request: ExchangeRequest;
  readonly prompt: Prompt;
  readonly head: Head;
  readonly baseline: Baseline | null;
  readonly before: Prompt | null;
  /** Asks for no response, so it may be there before one comes; `comparisonOf` makes it. */
  comparison?: Comparison | null;
}

type NewHead = Pick<Head, 'text' | 'fingerprint'> & {
  readonly prompt: Prompt;
  readonly baseline: Baseline | null;
};

/** From `begin` on: what is there so far. */
interface CallAtWork {
  read?: ReadCall;
  unreadable?: Unreadable;
  /** What other processes know of it is being asked for. */
  asking?: Promise<unknown>;
  running?: RunningCall;
  isOver: boolean;
}

/** A piece of the work failed. */
const NOT_READ: Unreadable = { unreadable: 'engine_error' };

/** A request that is read, before it is known what it continues. */
interface ReadCall {
  readonly request: ExchangeRequest;
  readonly reading: Reading;
  readonly fingerprint: Fingerprint;
}

class DiagnosisEngine implements Engine {
  readonly #hasher: Hasher;
  readonly #prices: Prices;
  readonly #heads: Heads;
  readonly #entries = new Entries();
  readonly #tokens: TokenEstimator;
  readonly #lineagePrefix: string;
  readonly #shared: SharedHeads | undefined;
  #calls: number;
  #lineages = 0;

  constructor(hasher: Hasher, prices: Prices, options: EngineOptions) {
    this.#hasher = hasher;
    this.#prices = prices;
    this.#heads = new Heads({ ...DEFAULT_HEAD_LIMITS, ...options.headLimits });
    this.#tokens = new TokenEstimator(options.tokenCounter);
    const { heads } = options;
    this.#shared = heads && new SharedHeads(heads, hasher, this.#entries, this.#tokens);
    this.#lineagePrefix = options.lineagePrefix ?? (heads ? `${heads.origin}-` : '');
    this.#calls = heads?.firstIndex ?? 0;
  }

  start(request: ExchangeRequest): StartedCall {
    const call = this.begin(request);
    while (call.advance?.());
    return call;
  }

  begin(request: ExchangeRequest): StartedCall {
    const call: CallAtWork = { isOver: false };
    const pieces = this.#pieces(request, call);
    const advance = () => pieces.next().done !== true;
    const opened = (): RunningCall | Unreadable => {
      while (advance());
      return call.read === undefined ? (call.unreadable ?? NOT_READ) : this.#opened(call, call.read);
    };
    return {
      advance,
      // A method: a getter in a literal makes a hidden class a call, which lives long and takes the request along.
      previousResponseId: () => {
        const running = opened();
        if ('unreadable' in running || running.baseline?.relation !== 'continues') return undefined;
        return running.baseline.head.outcome.responseId ?? undefined;
      },
      prepare: async (response) => {
        await call.asking;
        const running = opened();
        if ('unreadable' in running) return;
        if (this.#askForCounts(running, response)) await this.#tokens.settled();
      },
      finish: (response) => {
        if (call.isOver) return { unreadable: 'the call was finished before' };
        const running = opened();
        call.isOver = true;
        return 'unreadable' in running ? running : this.#finish(running, response);
      },
      abandon: () => {
        call.isOver = true;
        pieces.return();
        if (call.running) this.#heads.remove(call.running.head);
      },
    };
  }

  async settled(): Promise<void> {
    await this.#shared?.settled();
  }

  /** The work of `start`, cut where a long prompt would hold up the event loop: each piece takes a few milliseconds at most. */
  *#pieces(request: ExchangeRequest, call: CallAtWork): Generator<void, void> {
    const likely =
      typeof request.body === 'string'
        ? this.#heads.likelyBefore(request.api, request.scope, request.body)
        : undefined;
    const before = likely?.head;
    const reading = readPrompt(request, readingOf(likely));
    if ('unreadable' in reading) {
      call.unreadable = reading;
      return;
    }
    yield;
    const known = before ? { fingerprint: before.fingerprint, segments: reading.reusedSegments } : undefined;
    const fingerprint = yield* fingerprintPieces(reading.prompt, this.#hasher, known);
    const read = { request: withSuggestedScope(request, reading.prompt), reading, fingerprint };
    call.read = read;
    if (this.#shared?.isReachable) {
      call.asking = this.#ask(read).then((found) => call.isOver || this.#opened(call, read, found));
      return;
    }
    yield;
    const running = this.#opened(call, read);
    yield;
    comparisonOf(running);
  }

  #opened(call: CallAtWork, read: ReadCall, found = NOTHING_FOUND): RunningCall {
    call.running ??= this.#open(read, found);
    return call.running;
  }

  #ask({ request, reading: { prompt }, fingerprint }: ReadCall): Promise<FoundHeads> {
    const shared = this.#shared as SharedHeads;
    const candidate = { prompt, fingerprint, thread: threadOf(request) };
    return shared.ask({ request, prompt, fingerprint }, (found) => {
      const heads = mergeHeads(this.#heads.inScope(request.api, request.scope), found, shared, this.#heads);
      return chooseBaseline(candidate, heads, () => []) !== null;
    });
  }

  /** What the call continues, and its place among the heads. */
  #open({ request, reading, fingerprint: read }: ReadCall, found: FoundHeads): RunningCall {
    const whole = completeHistory(reading.prompt, this.#heads, found.named);
    const isAsRead = whole.prompt === reading.prompt;
    const fingerprint = isAsRead ? read : fingerprintOf(whole.prompt, this.#hasher);
    const baseline = whole.isCutOff
      ? null
      : (whole.baseline ?? this.#choose(request, whole.prompt, fingerprint, found));
    const text = isAsRead ? reading.text : null;
    const head = this.#register(request, { prompt: whole.prompt, text, fingerprint, baseline });
    return { request, prompt: whole.prompt, head, baseline, before: baseline?.head.prompt ?? null };
  }

  #choose(
    request: ExchangeRequest,
    prompt: Prompt,
    fingerprint: Fingerprint,
    found: FoundHeads,
  ): Baseline | null {
    const { api, scope } = request;
    const merged = (own: readonly Head[], others: readonly Head[]) =>
      mergeHeads(own, others, this.#shared, this.#heads);
    const heads = merged(this.#heads.inScope(api, scope), found.heads);
    const siblings = () => newestFirst(merged(newestFirst(this.#heads.siblings(api, scope)), found.siblings));
    const chosen = chooseBaseline({ prompt, fingerprint, thread: threadOf(request) }, heads, siblings);
    if (chosen) this.#heads.touch(chosen.head);
    return chosen;
  }

  #register(request: ExchangeRequest, { prompt, text, fingerprint, baseline }: NewHead): Head {
    const isNext = baseline?.relation === 'continues';
    if (!isNext) this.#lineages += 1;
    const head: Head = {
      lineage: isNext ? baseline.head.lineage : `${this.#lineagePrefix}l${this.#lineages}`,
      index: this.#calls,
      turn: isNext ? baseline.head.turn + 1 : 1,
      api: request.api,
      scope: request.scope,
      thread: threadOf(request),
      fingerprint,
      facts: headFacts(request, prompt),
      prompt,
      text,
      outcome: IN_FLIGHT,
      wasSummarised: false,
    };
    this.#calls += 1;
    this.#heads.add(head);
    return head;
  }

  #finish(call: RunningCall, response: ExchangeResponse | undefined): DiagnosedCall {
    const { request, prompt, head, baseline, before } = call;
    const { fingerprint } = head;
    const { atMs, account, endpoint, inferenceGeo } = head.facts;
    const usage = readUsage(request.api, response?.usage);
    const rules = rulesFor({
      api: request.api,
      model: head.facts.model,
      endpoint,
      requestTtlMs: prompt.requestTtlMs,
      breakpoints: prompt.breakpoints.length,
    });
    this.#askForCounts(call, response);
    const sized = sizedCall(call);
    const scale = this.#tokens.scaleOf(sized, usage);
    const simulated = { atMs, account, endpoint, prompt, fingerprint, rules };
    const simulation = rules.style === 'explicit' ? simulate(simulated, this.#entries, this.#hasher) : null;
    const comparison = comparisonOf(call);
    const isChanged = rules.style === 'implicit' && comparison?.found != null;
    // By name, not `...facts`: an object that so many members are added to was the dearest one of a call.
    const verdict = judge({
      atMs,
      account,
      endpoint,
      inferenceGeo,
      prompt,
      rules,
      usage,
      simulation,
      status: response?.status ?? null,
      upstream: response?.provider ?? null,
      headers: request.headers ?? {},
      baseline: baseline?.head ?? null,
      before,
      divergence: comparison?.found?.divergence ?? null,
      divergedAt: comparison?.partedAt ?? null,
      isShared: baseline?.relation === 'branches' || baseline?.relation === 'sibling',
      sharedTokens: scale.before(comparison?.shared ?? 0),
      sharedMarkedTokens: scale.before(markedSegments(prompt, comparison?.shared ?? 0)),
      passedTokens: isChanged ? passedTokens(simulated, this.#entries, this.#hasher) : 0,
      suspect:
        changedAlias(baseline?.head.outcome.responseModel ?? null, response?.model ?? null) ??
        changedSuspect(before, prompt),
      siblingHeadTokens:
        baseline?.relation === 'sibling' && comparison?.found ? this.#markedHead(baseline.head, before) : 0,
      routingBefore:
        rules.routingField === null ? null : (baseline?.head.facts.routing[rules.routingField] ?? null),
      isBaselineSummed: baseline !== null && isSummedUsage(prompt, baseline.head),
    });
    const expected = expectedRewrite({ request, prompt, baseline, usage, verdict });
    const settlement = settle(
      { head, baseline, missingHistory: prompt.missingHistory, response, usage },
      this.#heads,
    );
    if (settlement && simulation)
      recordEntries({ ...simulated, usage, simulation, head, scale }, this.#entries, this.#hasher);
    else if (settlement)
      recordPassed({ ...simulated, usage, index: head.index }, this.#entries, this.#hasher);
    if (usage) this.#tokens.learn(sized, usage, scale);
    if (baseline && comparison?.partedAt === null) this.#tokens.learnGrowth(baseline.head, head, usage);
    if (settlement) this.#shared?.keep({ head, prompt, baseline, ...settlement });
    const found = comparison?.found ?? null;
    const shared = comparison?.shared ?? 0;
    return describe({
      request,
      response,
      head,
      prompt,
      baseline,
      found,
      shared,
      usage,
      scale,
      verdict,
      expected,
      lifetimeMs: lifetimeOf(prompt, rules),
      prices: this.#prices,
      hasher: this.#hasher,
    });
  }

  /** Tokens of a head up to its last mark in tools and system; 0 where nothing there is marked. */
  #markedHead(head: Head, prompt: Prompt | null): number {
    const marks = prompt?.breakpoints.filter(({ segment }) => segment < head.fingerprint.headLength) ?? [];
    if (!prompt || marks.length === 0) return 0;
    const scale = this.#tokens.scaleOf({ head, prompt, baseline: null }, head.outcome.usage);
    return scale.before(Math.max(...marks.map(({ segment }) => segment)) + 1);
  }

  /** A call that was answered without a word on its tokens; a refused one cost none. */
  #askForCounts(call: RunningCall, response: ExchangeResponse | undefined): boolean {
    const isNeeded = mayBeBaseline(response) && readUsage(call.request.api, response?.usage) === null;
    if (isNeeded) this.#tokens.ask(sizedCall(call));
    return isNeeded;
  }
}

function comparisonOf(call: RunningCall): Comparison | null {
  const { prompt, head, baseline, before } = call;
  if (call.comparison === undefined)
    call.comparison = baseline ? compare({ prompt, fingerprint: head.fingerprint, baseline, before }) : null;
  return call.comparison;
}

function sizedCall({ head, prompt, baseline }: RunningCall): SizedCall {
  return { head, prompt, baseline: baseline?.head ?? null, isSibling: baseline?.relation === 'sibling' };
}

/** Segments up to the last mark among the first ones. */
function markedSegments({ breakpoints }: Prompt, segments: number): number {
  return Math.max(0, ...breakpoints.map(({ segment }) => (segment < segments ? segment + 1 : 0)));
}

function readingOf(likely: LikelyHead | undefined): Reading | null {
  if (!likely?.head.prompt) return null;
  const { head, commonLength } = likely;
  return { prompt: likely.head.prompt, text: head.text, commonLength, reusedSegments: 0 };
}

function withSuggestedScope(request: ExchangeRequest, { callerMembers }: Prompt): ExchangeRequest {
  const { headers, conversationId } = request;
  const suggestedScope =
    request.suggestedScope ?? suggestScope({ headers, body: callerMembers, conversationId });
  return suggestedScope === undefined ? request : { ...request, suggestedScope };
}

function newestFirst(heads: readonly Head[]): readonly Head[] {
  return [...heads].reverse();
}

function threadOf(request: ExchangeRequest): string | undefined {
  return request.scope.thread ?? request.suggestedScope?.thread;
}
