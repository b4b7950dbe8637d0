/**
 * Received spans → reported calls: those of `prefixtrace` are joined, model calls of other instrumentations are diagnosed
 * here, under one numbering. A call that both tell of is told once, as its own program diagnosed it.
 */
import type { Engine } from '../../../src/engine.ts';
import type { Exchange } from '../../../src/exchange.ts';
import { spanExchange } from '../../../src/spans/model-span.ts';
import type { StoredSpan } from '../../../src/store/otlp-json.ts';
import { ATTR_LINEAGE } from '../../../src/telemetry/semconv.ts';
import type { ReportedCall } from '../../summary/reported-call.ts';
import { countOf } from '../../terminal/format.ts';
import { toReportedCall } from '../exchange-log.ts';
import type { Notes, SourceNotes } from '../notes.ts';
import { spanKey } from '../span-call.ts';
import { SpanJoiner } from '../span-joiner.ts';
import { CountedNote } from './counted-note.ts';
import { OwnNumbers } from './own-numbers.ts';
import { keyOfSpan, type ReceivedSpans, type TracedCall } from './received-spans.ts';
import { type Sight, Sightings } from './sightings.ts';

interface CallWithPrompt extends TracedCall {
  readonly exchange: Exchange;
}

export class ReceivedCalls {
  readonly #engine: Engine;
  readonly #unreadable: Notes;
  readonly #joiner: SpanJoiner;
  readonly #bareCalls: CountedNote;
  readonly #sightings = new Sightings();
  readonly #numbers = new OwnNumbers();
  /** The ids under which calls were told before their own program's diagnosis came. */
  readonly #toldAs = new Map<string, string>();

  constructor(engine: Engine, { unreadable }: SourceNotes) {
    this.#engine = engine;
    this.#unreadable = unreadable;
    this.#joiner = new SpanJoiner(unreadable);
    this.#bareCalls = new CountedNote(
      unreadable,
      (count) =>
        `${countOf(count, 'model span')} without content: switch content capture on, or use observe()`,
    );
  }

  async add({ drawn, traced }: ReceivedSpans): Promise<ReportedCall[]> {
    for (const span of drawn) if (span.attributes[ATTR_LINEAGE] !== undefined) this.#sightDrawn(span);
    const joined = this.#joiner
      .add(drawn)
      .map((call) => ({ ...call, id: this.#toldAs.get(call.id) ?? call.id }));
    const calls = this.#numbers.numbered('joiner', joined);
    for (const call of this.#untold(traced)) {
      const diagnosed = await this.#diagnose(call);
      if (diagnosed !== undefined) calls.push(...this.#numbers.numbered('engine', [diagnosed]));
    }
    return calls;
  }

  #sightDrawn(span: StoredSpan): void {
    const key = keyOfSpan(span);
    const parentKey = span.parentSpanId && spanKey(span.traceId, span.parentSpanId);
    const [diagnosed] = this.#sightings.relatives(key, parentKey, 'diagnosed');
    if (diagnosed !== undefined) this.#toldAs.set(key, diagnosed);
    this.#sight({ key, parentKey }, 'drawn');
  }

  /** Of spans around one another the innermost is the call: an outer one may hold several. */
  #untold(traced: readonly TracedCall[]): CallWithPrompt[] {
    // An exporter that heard no answer sends the same spans again.
    const calls = traced.filter(({ key }) => this.#sightings.of(key) === undefined);
    const withPrompt = calls.flatMap((call): CallWithPrompt[] => {
      const exchange = this.#attempt(() => spanExchange(call.span));
      return exchange === undefined ? [] : [{ ...call, exchange }];
    });
    const outerKeys = new Set(withPrompt.map(({ parentKey }) => parentKey));
    const untold = withPrompt.filter((call) => !outerKeys.has(call.key) && !this.#isTold(call));
    for (const call of untold) this.#sight(call, 'diagnosed');
    for (const call of calls) {
      if (this.#sightings.of(call.key) !== undefined) continue;
      if (this.#isTold(call)) this.#sight(call, 'told');
      else {
        this.#sight(call, 'bare');
        this.#bareCalls.add(1);
      }
    }
    return untold;
  }

  #isTold({ key, parentKey }: Pick<TracedCall, 'key' | 'parentKey'>): boolean {
    return (['drawn', 'diagnosed'] as const).some(
      (sight) => this.#sightings.relatives(key, parentKey, sight).length > 0,
    );
  }

  #sight({ key, parentKey }: Pick<TracedCall, 'key' | 'parentKey'>, sight: Sight) {
    this.#sightings.add(key, parentKey, sight);
    if (sight === 'bare' || sight === 'told') return;
    for (const bare of this.#sightings.relatives(key, parentKey, 'bare')) {
      this.#sightings.add(bare, undefined, 'told');
      this.#bareCalls.add(-1);
    }
  }

  async #diagnose({ key, exchange }: CallWithPrompt): Promise<ReportedCall | undefined> {
    const { response } = exchange;
    const started = this.#attempt(() => this.#engine.start(exchange));
    await started?.prepare?.(response);
    const call = started && this.#attempt(() => started.finish(response));
    if (call === undefined) return undefined;
    if ('unreadable' in call) {
      this.#unreadable.add({ source: null, reason: call.unreadable });
      return undefined;
    }
    const reported = toReportedCall(call);
    // Programs that diagnose their own calls have an `l1` each.
    return { ...reported, id: key, lineage: `traced-${reported.lineage}` };
  }

  /** Another program's attributes may be anything: what cannot be read is one call less, and never the end. */
  #attempt<T>(step: () => T): T | undefined {
    try {
      return step();
    } catch {
      this.#unreadable.add({ source: null, reason: 'a span of a model call cannot be read' });
      return undefined;
    }
  }
}
