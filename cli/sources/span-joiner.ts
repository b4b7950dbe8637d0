/**
 * Puts the spans of a call together as they arrive, in any order: a divergence ends before its call, and in a store
 * that is being written either may come first. Each change of a call reports the whole call anew, under the same id.
 */
import type { StoredSpan } from '../../src/store/otlp-json.ts';
import { RecentMap } from '../../src/telemetry/recent-map.ts';
import * as semconv from '../../src/telemetry/semconv.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
import type { Notes } from './notes.ts';
import { callOfSpans, spanKey } from './span-call.ts';

interface Parts {
  call?: StoredSpan;
  divergence?: StoredSpan;
  miss?: StoredSpan;
}

/** The parts of one call end within seconds of one another; so many calls later nothing more of it is expected. */
const MAX_OPEN_CALLS = 4_096;

export class SpanJoiner {
  readonly #parts = new RecentMap<string, Parts>(MAX_OPEN_CALLS);
  /** Of every call that was seen: later ones name it as their baseline. Given with the first sight of the call itself. */
  readonly #indices = new Map<string, number>();
  /** GenAI spans whose call attributes stand on a span of ours below them, and the calls that wait for one. */
  readonly #inferences = new RecentMap<string, StoredSpan>(MAX_OPEN_CALLS);
  readonly #callBeneath = new RecentMap<string, string>(MAX_OPEN_CALLS);
  readonly #processes = new Map<string, number>();
  readonly #unreadable: Notes;

  constructor(unreadable: Notes) {
    this.#unreadable = unreadable;
  }

  /** The calls that these spans make or change. */
  add(spans: Iterable<StoredSpan>): ReportedCall[] {
    const calls: ReportedCall[] = [];
    const changed = new Set<string>();
    const report = () => {
      for (const key of changed) {
        const call = this.#report(key);
        if (call !== undefined) calls.push(call);
      }
      changed.clear();
    };
    for (const span of spans) {
      const key = this.#place(span);
      if (key !== undefined) changed.add(key);
      // Before the first of them is no longer held.
      if (changed.size === MAX_OPEN_CALLS / 2) report();
    }
    report();
    return calls;
  }

  #place(span: StoredSpan): string | undefined {
    const ownKey = spanKey(span.traceId, span.spanId);
    const parentKey = span.parentSpanId === undefined ? undefined : spanKey(span.traceId, span.parentSpanId);
    if (span.name === semconv.SPAN_DIVERGENCE || span.name === semconv.SPAN_MISS) {
      if (parentKey === undefined) return undefined;
      this.#partsOf(parentKey)[span.name === semconv.SPAN_DIVERGENCE ? 'divergence' : 'miss'] = span;
      return parentKey;
    }
    const unreadable = span.attributes[semconv.ATTR_UNREADABLE];
    if (typeof unreadable === 'string') this.#unreadable.add({ source: null, reason: unreadable });
    if (span.attributes[semconv.ATTR_LINEAGE] !== undefined) {
      const parts = this.#partsOf(ownKey);
      parts.call = span;
      if (!this.#indices.has(ownKey)) this.#indices.set(ownKey, this.#indices.size);
      if (span.name === semconv.SPAN_CALL && parentKey !== undefined)
        this.#callBeneath.set(parentKey, ownKey);
      return ownKey;
    }
    if (span.attributes[semconv.ATTR_GEN_AI_OPERATION_NAME] === undefined) return undefined;
    this.#inferences.set(ownKey, span);
    return this.#callBeneath.get(ownKey);
  }

  #report(key: string): ReportedCall | undefined {
    const parts = this.#parts.get(key);
    const index = this.#indices.get(key);
    if (parts?.call === undefined || index === undefined) return undefined;
    const { call, divergence, miss } = parts;
    const isBeside = call.name === semconv.SPAN_CALL && call.parentSpanId !== undefined;
    const inference = isBeside
      ? this.#inferences.get(spanKey(call.traceId, call.parentSpanId ?? ''))
      : undefined;
    const [baseline] = (divergence ?? miss)?.links ?? [];
    return callOfSpans(
      { call, divergence, miss, inference },
      {
        index,
        baseline: (baseline && this.#indices.get(spanKey(baseline.traceId, baseline.spanId))) ?? null,
        lineage: this.#lineageOf(call),
      },
    );
  }

  #partsOf(key: string): Parts {
    const known = this.#parts.get(key);
    if (known !== undefined) return known;
    const parts: Parts = {};
    this.#parts.set(key, parts);
    return parts;
  }

  /** `l1` of the first process, `2·l1` of the second. */
  #lineageOf(call: StoredSpan): string {
    const name = String(call.attributes[semconv.ATTR_LINEAGE]);
    const instance = String(call.resource['service.instance.id'] ?? call.resource['process.pid'] ?? '');
    const process = this.#processes.get(instance) ?? this.#processes.size + 1;
    this.#processes.set(instance, process);
    return process === 1 ? name : `${process}·${name}`;
  }
}
