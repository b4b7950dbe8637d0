/**
 * The heads of other processes, as the engine uses them: asked for when a call starts, while the network waits, and told of
 * when it is over. Nothing here is awaited by a call, and nothing rejects: without an answer the local heads decide.
 */
import type { Entries, Entry } from '../../cache/entries.ts';
import type { Api, ExchangeRequest, Scope } from '../../exchange.ts';
import { type Fingerprint, fingerprintOf, prefixAt } from '../../fingerprint/fingerprint.ts';
import type { Hasher } from '../../fingerprint/hash.ts';
import type { Prompt, Segment } from '../../prompt/prompt.ts';
import type { TokenEstimator } from '../../tokens/estimator.ts';
import type { Baseline } from '../choose.ts';
import type { Head } from '../head.ts';
import { historyKey } from '../history.ts';
import { chunkingOf, openingOf } from './chunks.ts';
import { type HeadRecord, packChunk, packHead, unpackChunk, unpackHead } from './head-record.ts';
import {
  type HeadAnswer,
  type HeadPlace,
  type HeadQuestion,
  type HeadStore,
  NO_HEADS,
} from './head-store.ts';
import { KnownTexts, rebuiltPrompt } from './rebuilt-prompt.ts';
import { recordOf, type SegmentRecord } from './segment-record.ts';

export interface FoundHeads {
  /** Oldest first. */
  readonly heads: readonly Head[];
  readonly siblings: readonly Head[];
  readonly named: Head | null;
}

export const NOTHING_FOUND: FoundHeads = { heads: [], siblings: [], named: null };

export interface AskingCall {
  readonly request: ExchangeRequest;
  readonly prompt: Prompt;
  readonly fingerprint: Fingerprint;
}

export interface OverCall {
  readonly head: Head;
  readonly prompt: Prompt;
  readonly baseline: Baseline | null;
  /** The baseline is no head any more. */
  readonly hasReplaced: boolean;
  /** By which the next request may name this call. */
  readonly name: string | null;
}

/** Prefixes of a conversation that are told of; older ones are out of any reader's reach. */
const MOST_ENTRIES = 48;

export class SharedHeads {
  readonly #store: HeadStore;
  readonly #hasher: Hasher;
  readonly #entries: Entries;
  readonly #tokens: TokenEstimator;
  /** Ids of heads that came from the store or went there. */
  readonly #ids = new WeakMap<Head, string>();
  /** Prefixes that are cached of the conversation of a head, also those that it has left. */
  readonly #prefixes = new WeakMap<Head, readonly bigint[]>();
  readonly #commits = new Set<Promise<void>>();
  /** Of the segments that a conversation carries from call to call. */
  readonly #records = new WeakMap<Segment, SegmentRecord>();

  constructor(store: HeadStore, hasher: Hasher, entries: Entries, tokens: TokenEstimator) {
    this.#store = store;
    this.#hasher = hasher;
    this.#entries = entries;
    this.#tokens = tokens;
  }

  /** In front of lineage names. */
  get origin(): string {
    return this.#store.origin;
  }

  get isReachable(): boolean {
    return this.#store.isReachable;
  }

  /** `isContinued` says whether one of the heads of the scope, these and the local ones, fits. */
  async ask(call: AskingCall, isContinued: (heads: readonly Head[]) => boolean): Promise<FoundHeads> {
    const { prompt, fingerprint, request } = call;
    const history = prompt.missingHistory;
    const question: HeadQuestion = {
      ...placeOf(request.api, request.scope),
      opening: openingOf(fingerprint),
      chunks: chunkingOf(fingerprint).chunks.map(({ name }) => name),
      name: history === null ? null : historyKey(history.reason, history.id),
    };
    const found = this.#read(await this.#answer('candidates', question), call);
    if (found.named || isContinued(found.heads)) return found;
    const { heads } = this.#read(await this.#answer('siblings', question), call);
    return { ...found, siblings: heads };
  }

  /** Never awaited by a call; `settled` waits for all of them. */
  keep(call: OverCall): void {
    // A span may wait for the end of the call: packing is for later.
    const commit = new Promise((resolve) => setImmediate(resolve))
      .then(() => this.#commit(call))
      .catch(() => {});
    this.#commits.add(commit);
    void commit.then(() => this.#commits.delete(commit));
  }

  async settled(): Promise<void> {
    while (this.#commits.size > 0) await Promise.all(this.#commits);
  }

  /** Id of a head in the store. */
  idOf(head: Head): string {
    return this.#ids.get(head) ?? `${this.origin}-${head.index.toString(36)}`;
  }

  async #answer(what: 'candidates' | 'siblings', question: HeadQuestion): Promise<HeadAnswer> {
    try {
      return await this.#store[what](question);
    } catch {
      return NO_HEADS;
    }
  }

  #read(answer: HeadAnswer, call: AskingCall): FoundHeads {
    const known = new KnownTexts(call.prompt, call.fingerprint.content, this.#hasher);
    const chunks = new ChunkReader(answer.chunks, call, this.#hasher);
    const heads: Head[] = [];
    let named: Head | null = null;
    for (const stored of answer.heads) {
      const record = unpackHead(stored.record);
      const segments = record && chunks.segmentsOf(stored.chunks, record);
      if (!record || !segments) continue;
      const head = this.#headOf(record, segments, known, call);
      head.wasSummarised = stored.wasSummarised;
      this.#ids.set(head, stored.id);
      this.#learn(head, record);
      if (stored.id === answer.named) named = head;
      else heads.push(head);
    }
    return { heads: named ? [...heads, named] : heads, siblings: [], named };
  }

  #headOf(record: HeadRecord, segments: readonly SegmentRecord[], known: KnownTexts, call: AskingCall): Head {
    const { lineage, index, turn, api, scope, thread, facts, outcome } = record;
    const prompt = rebuiltPrompt(record, segments, known);
    const own = { fingerprint: call.fingerprint, segments: sameStart(prompt, call) };
    return {
      ...{ lineage, index, turn, api, scope, thread, facts, outcome },
      fingerprint: fingerprintOf(prompt, this.#hasher, own),
      prompt,
      text: null,
      wasSummarised: false,
    };
  }

  #learn(head: Head, { entries, learned }: HeadRecord): void {
    for (const [prefix, entry] of entries) this.#entries.merge(prefix, entry);
    this.#prefixes.set(
      head,
      entries.map(([prefix]) => prefix),
    );
    this.#tokens.adopt(head, learned);
  }

  async #commit({ head, prompt, baseline, hasReplaced, name }: OverCall): Promise<void> {
    const { fingerprint } = head;
    const { chunks, headChunks, headTail, messageTail } = chunkingOf(fingerprint);
    const records = (from: number, to: number): SegmentRecord[] =>
      prompt.segments.slice(from, to).map((segment, at) => this.#recordOf(segment, fingerprint, from + at));
    const spans = new Map(chunks.map((span) => [span.name, span]));
    const { lineage, index, turn, api, scope, thread, outcome } = head;
    const { segments: _segments, suspects, ...facts } = prompt;
    await this.#store.commit({
      ...placeOf(api, scope),
      head: {
        id: this.idOf(head),
        opening: openingOf(fingerprint),
        chunks: chunks.map((span) => span.name),
        wasSummarised: head.wasSummarised,
        record: packHead({
          ...{ lineage, index, turn, api, scope, thread, outcome },
          facts: { ...head.facts, account: this.#account(head.facts.account) },
          prompt: facts,
          headChunks,
          suspects: suspects.map((segment) => this.#recordOf(segment, undefined, -1)),
          headTail: records(headTail, fingerprint.headLength),
          messageTail: records(messageTail, prompt.segments.length),
          entries: this.#entriesOf(head, baseline),
          learned: this.#tokens.learnedOf(head),
        }),
      },
      chunk: (chunkName) => {
        const span = spans.get(chunkName);
        return span && packChunk(records(span.start, span.end));
      },
      replaces: baseline && hasReplaced ? this.idOf(baseline.head) : null,
      summarised: baseline?.relation === 'side_call' ? this.idOf(baseline.head) : null,
      name: api === 'openai.responses' || prompt.missingHistory ? name : null,
    });
  }

  #recordOf(segment: Segment, fingerprint: Fingerprint | undefined, index: number): SegmentRecord {
    const known = {
      hash: fingerprint?.content[index] ?? 0n,
      length: fingerprint?.lengths[index] ?? 0,
    };
    const made = this.#records.get(segment);
    if (made?.known.hash === known.hash) return made;
    const record = recordOf(segment, known, this.#hasher, this.#store.keepsContent);
    this.#records.set(segment, record);
    return record;
  }

  /** Those of this prompt's own prefixes, and those of the conversation that it has left. */
  #entriesOf(head: Head, baseline: Baseline | null): [bigint, Entry][] {
    const before = (baseline && this.#prefixes.get(baseline.head)) ?? [];
    const prefixes = new Set(before);
    for (let index = 0; index < head.fingerprint.chain.length; index += 1) {
      const prefix = prefixAt(head.fingerprint, index, this.#hasher);
      if (!this.#entries.get(prefix)) continue;
      prefixes.delete(prefix);
      prefixes.add(prefix);
    }
    const kept = [...prefixes].slice(-MOST_ENTRIES);
    this.#prefixes.set(head, kept);
    return kept.flatMap((prefix) => {
      const entry = this.#entries.get(prefix);
      return entry ? [[prefix, { ...entry, account: this.#account(entry.account) }]] : [];
    });
  }

  /** Marks of accounts compare only where all processes key them alike. */
  #account(mark: string | null): string | null {
    return this.#store.accountKey === undefined ? null : mark;
  }
}

/** Puts the segments of a head together: from the answer, or from the asker's own prompt where they are the same. */
class ChunkReader {
  readonly #answered: ReadonlyMap<string, Uint8Array>;
  readonly #read = new Map<string, readonly SegmentRecord[] | undefined>();
  readonly #own: (name: string) => readonly SegmentRecord[] | undefined;

  constructor(
    answered: ReadonlyMap<string, Uint8Array>,
    { prompt, fingerprint }: AskingCall,
    hasher: Hasher,
  ) {
    this.#answered = answered;
    const spans = new Map(chunkingOf(fingerprint).chunks.map((span) => [span.name, span]));
    this.#own = (name) => {
      const span = spans.get(name);
      if (!span) return undefined;
      return prompt.segments.slice(span.start, span.end).map((segment, at) => {
        const index = span.start + at;
        const known = {
          hash: fingerprint.content[index] as bigint,
          length: fingerprint.lengths[index] as number,
        };
        return recordOf(segment, known, hasher, false);
      });
    };
  }

  /** `undefined` where a part is missing: a head with a hole says nothing. */
  segmentsOf(names: readonly string[], record: HeadRecord): SegmentRecord[] | undefined {
    const head = this.#segments(names.slice(0, record.headChunks));
    const messages = this.#segments(names.slice(record.headChunks));
    if (!head || !messages) return undefined;
    const all = [...head, ...record.headTail, ...messages, ...record.messageTail];
    return head.length + record.headTail.length === record.prompt.headLength ? all : undefined;
  }

  #segments(names: readonly string[]): SegmentRecord[] | undefined {
    const all: SegmentRecord[] = [];
    for (const name of names) {
      if (!this.#read.has(name)) {
        const bytes = this.#answered.get(name);
        this.#read.set(name, bytes ? unpackChunk(bytes) : this.#own(name));
      }
      const segments = this.#read.get(name);
      if (!segments) return undefined;
      all.push(...segments);
    }
    return all;
  }
}

function placeOf(api: Api, scope: Scope): HeadPlace {
  return {
    pool: JSON.stringify([api, scope.phase ?? null]),
    scope: JSON.stringify([scope.thread ?? null, scope.delegation ?? null]),
  };
}

/** Leading segments that are the asker's own: their fingerprint need not be made again. */
function sameStart(prompt: Prompt, call: AskingCall): number {
  if (prompt.headLength !== call.prompt.headLength) return 0;
  let same = 0;
  while (same < prompt.segments.length && prompt.segments[same] === call.prompt.segments[same]) same += 1;
  return same;
}
