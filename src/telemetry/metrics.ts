/**
 * Diagnosed calls as metrics, and what our own work costs, through the OpenTelemetry API alone.
 *
 * Low cardinality by construction: no thread, lineage, turn or path; component, kind, miss and outcome are our own words;
 * model, phase and reason come from outside and are bounded. Unknown is never counted as zero: a call whose reads are not
 * known adds its input as kind `unknown` and nothing to `read`, so `read / (read + written + uncached)` is the hit ratio
 * of the calls that are known. Without an SDK nothing is made and nothing is counted.
 */
import type { Attributes, Counter, Histogram, Meter, MeterProvider } from '@opentelemetry/api';
import type { OurPath } from '../call-sink.ts';
import type { DiagnosedCall } from '../diagnosis.ts';
import type { Unreadable } from '../engine.ts';
import type { ExchangeRequest } from '../exchange.ts';
import { globalMeterProvider } from '../opentelemetry.ts';
import { VERSION } from '../version.ts';
import { integer, knownOnly, reasonWord } from './attribute-values.ts';
import { boundedValues } from './bounded-values.ts';
import { splitEndpoint } from './endpoint.ts';
import { requestModel } from './inference-span.ts';
import { providerName } from './provider-name.ts';
import * as semconv from './semconv.ts';

export interface CallMetrics {
  count(request: Pick<ExchangeRequest, 'api' | 'model' | 'endpoint'>, call: DiagnosedCall | Unreadable): void;
  /** Time that our own work took. */
  spend(path: OurPath, durationMs: number): void;
}

type TokenKind = 'read' | 'written' | 'uncached' | 'unknown';

interface Instruments {
  readonly calls: Counter;
  readonly inputTokens: Counter;
  readonly divergences: Counter;
  readonly misses: Counter;
  readonly rebilledTokens: Counter;
  readonly rebilledCost: Counter;
  readonly unreadableCalls: Counter;
  readonly overhead: Histogram;
}

/** Seconds; ours is a matter of microseconds, where the default buckets (made for requests) see nothing. */
const OVERHEAD_BUCKETS = [1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 5e-2, 0.1, 1];

/** `given`: instead of the global provider. `dropped`: records lost so far. */
export function createCallMetrics(given: MeterProvider | undefined, dropped: () => number): CallMetrics {
  const boundedModel = boundedValues();
  const boundedPhase = boundedValues();
  const boundedReason = boundedValues();
  let latestProvider: MeterProvider | undefined;
  let instruments: Instruments | undefined;

  /** The metrics API has no proxy: what was made before a provider is registered stays mute, so it is looked up each time. */
  const current = (): Instruments | undefined => {
    const provider = given ?? globalMeterProvider();
    if (provider === latestProvider) return instruments;
    latestProvider = provider;
    const meter = provider?.getMeter(semconv.INSTRUMENTATION_NAME, VERSION, {
      schemaUrl: semconv.SCHEMA_URL,
    });
    instruments = meter && makeInstruments(meter, dropped);
    return instruments;
  };

  return {
    count(request, call) {
      const to = current();
      if (to === undefined) return;
      const diagnosed = 'unreadable' in call ? undefined : call;
      const of = knownOnly([
        [
          semconv.ATTR_GEN_AI_PROVIDER_NAME,
          providerName(request.api, splitEndpoint(request.endpoint).address),
        ],
        [semconv.ATTR_GEN_AI_REQUEST_MODEL, boundedModel(requestModel(request, diagnosed))],
        [semconv.ATTR_PHASE, boundedPhase(diagnosed?.diagnosis.scope.phase)],
      ]);
      to.calls.add(1, { ...of, [semconv.ATTR_OUTCOME]: diagnosed?.diagnosis.outcome ?? 'unknown' });
      if ('unreadable' in call) {
        const reason = boundedReason(reasonWord(call.unreadable));
        to.unreadableCalls.add(1, { ...of, [semconv.ATTR_UNREADABLE]: reason });
        return;
      }
      countInput(to.inputTokens, of, call);
      countFault(to, of, call);
    },
    spend(path, durationMs) {
      current()?.overhead.record(durationMs / 1000, { [semconv.ATTR_OVERHEAD_PATH]: path });
    },
  };
}

/** Only what the response reported: estimates do not belong in a sum that looks like a bill. */
function countInput(counter: Counter, of: Attributes, { diagnosis }: DiagnosedCall): void {
  const { method, input, cacheRead, cacheWrite, uncached } = diagnosis.tokens;
  if (method !== 'usage') return;
  const add = (kind: TokenKind, tokens: number | null): void =>
    addKnown(counter, integer(tokens), { ...of, [semconv.ATTR_TOKEN_KIND]: kind });
  if (cacheRead === null) {
    add('unknown', input);
    return;
  }
  add('read', cacheRead);
  add('written', cacheWrite);
  add('uncached', uncached);
}

function countFault(to: Instruments, of: Attributes, { diagnosis }: DiagnosedCall): void {
  const { divergence, miss, finding, tokens, cost } = diagnosis;
  if (divergence === null && miss === null) return;
  const place = knownOnly([
    [semconv.ATTR_DIVERGENCE_COMPONENT, divergence?.component],
    [semconv.ATTR_DIVERGENCE_KIND, divergence?.kind],
  ]);
  const because = knownOnly([[semconv.ATTR_MISS, miss]]);
  const worth = { ...of, [semconv.ATTR_FINDING]: finding };
  if (divergence !== null) to.divergences.add(1, { ...worth, ...place });
  if (miss !== null) to.misses.add(1, { ...worth, ...because });
  addKnown(to.rebilledTokens, integer(tokens.rebilled), { ...worth, ...place, ...because });
  addKnown(to.rebilledCost, cost?.rebilledUsd, { ...worth, ...place, ...because });
}

/** Zero is counted, which makes a series that says so; unknown is not. */
function addKnown(counter: Counter, amount: number | null | undefined, attributes: Attributes): void {
  if (typeof amount === 'number' && Number.isFinite(amount)) counter.add(amount, attributes);
}

function makeInstruments(meter: Meter, dropped: () => number): Instruments {
  meter
    .createObservableCounter(semconv.METRIC_DROPPED_RECORDS, {
      unit: '{record}',
      description: 'Calls that could not be written to the local store.',
    })
    .addCallback((result) => result.observe(dropped()));
  const counter = (name: string, unit: string, description: string): Counter =>
    meter.createCounter(name, { unit, description });
  return {
    calls: counter(semconv.METRIC_CALLS, '{call}', 'Model calls by what the prompt cache did.'),
    inputTokens: counter(semconv.METRIC_INPUT_TOKENS, '{token}', 'Reported input tokens by kind.'),
    divergences: counter(
      semconv.METRIC_DIVERGENCES,
      '{divergence}',
      'Prompts that changed before their end.',
    ),
    misses: counter(semconv.METRIC_MISSES, '{miss}', 'Tokens not read although the prompt did not change.'),
    rebilledTokens: counter(
      semconv.METRIC_REBILLED_TOKENS,
      '{token}',
      'Tokens billed again that would have been read back.',
    ),
    rebilledCost: counter(semconv.METRIC_REBILLED_COST, '{USD}', 'What the rebilled tokens cost.'),
    unreadableCalls: counter(
      semconv.METRIC_UNREADABLE_CALLS,
      '{call}',
      'Calls that were not diagnosed, by reason.',
    ),
    overhead: meter.createHistogram(semconv.METRIC_OVERHEAD_DURATION, {
      unit: 's',
      description:
        "Time of prefixtrace's own work: for one request or one response, or one task in the background.",
      advice: { explicitBucketBoundaries: OVERHEAD_BUCKETS },
    }),
  };
}
