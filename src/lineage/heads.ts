/**
 * The live heads, by scope. Bounded in four ways, and the owner of all of it: heads a scope, heads in all and bytes of
 * their hashes (least recently used goes first, one at a time), and bytes of prompts that are kept to point at the byte.
 */
import type { Api, Scope } from '../exchange.ts';
import { HASH_BYTES_A_SEGMENT } from '../fingerprint/fingerprint.ts';
import { commonStart } from '../prompt/common-start.ts';
import type { Head } from './head.ts';

export interface HeadLimits {
  /** Heads that one scope may hold: more than this many conversations interleaved in one scope lose the oldest. */
  readonly headsPerScope: number;
  readonly heads: number;
  /** Approximate bytes of prompt text kept over all heads. */
  readonly promptBytes: number;
  /** Bytes of fingerprints over all heads: a conversation of 300 messages takes 10 kB. */
  readonly hashBytes: number;
}

export const DEFAULT_HEAD_LIMITS: HeadLimits = {
  headsPerScope: 64,
  heads: 10_000,
  promptBytes: 40 * 1024 * 1024,
  hashBytes: 40 * 1024 * 1024,
};

export interface LikelyHead {
  readonly head: Head;
  /** Characters that its body and the new one have in common at their start. */
  readonly commonLength: number;
}

export class Heads {
  readonly #limits: HeadLimits;
  /** Oldest first; every use moves a head to the end. */
  readonly #all = new Set<Head>();
  /** Those with a prompt, in the same order: few of them, where there are many heads. */
  readonly #withPrompt = new Set<Head>();
  readonly #byScope = new Map<string, Head[]>();
  readonly #byResponse = new Map<string, Head>();
  /** Names by which a head can be found, to be dropped with it. */
  readonly #responseNames = new WeakMap<Head, string>();
  #promptBytes = 0;
  #hashBytes = 0;

  constructor(limits: HeadLimits = DEFAULT_HEAD_LIMITS) {
    this.#limits = limits;
  }

  /** Heads whose conversation this call may continue, newest last. */
  inScope(api: Api, scope: Scope): readonly Head[] {
    return this.#byScope.get(scopeKey(api, scope)) ?? [];
  }

  /** The head whose body the given one most likely continues, to be read on from there. */
  likelyBefore(api: Api, scope: Scope, body: string): LikelyHead | undefined {
    let best: LikelyHead | undefined;
    let compared = 0;
    for (const head of [...this.inScope(api, scope)].reverse()) {
      if (!head.text || !mayContinue(head.text.body, body)) continue;
      const commonLength = commonStart(head.text.body, body);
      if (commonLength > (best?.commonLength ?? 0)) best = { head, commonLength };
      // Bodies that part early cost next to nothing.
      if (commonLength > head.text.body.length / 4) compared += 1;
      if (compared === MOST_COMPARED) break;
    }
    return best;
  }

  /** Heads of the same phase in other conversations: they could share a prefix. */
  siblings(api: Api, scope: Scope): readonly Head[] {
    const found: Head[] = [];
    for (const head of [...this.#all].reverse()) {
      if (head.api === api && head.scope.phase === scope.phase) found.push(head);
      if (found.length >= this.#limits.headsPerScope) break;
    }
    return found;
  }

  byResponse(id: string): Head | undefined {
    return this.#byResponse.get(id);
  }

  add(head: Head): void {
    const key = scopeKey(head.api, head.scope);
    const heads = this.#byScope.get(key) ?? [];
    heads.push(head);
    this.#byScope.set(key, heads);
    this.#all.add(head);
    if (head.prompt !== null) this.#withPrompt.add(head);
    this.#promptBytes += promptBytes(head);
    this.#hashBytes += hashBytes(head);
    if (heads.length > this.#limits.headsPerScope) this.remove(heads[0] as Head);
    this.#shrink();
  }

  /** Makes a finished head findable by the id that the next request may name. */
  rememberResponse(id: string, head: Head): void {
    this.#byResponse.set(id, head);
    this.#responseNames.set(head, id);
  }

  remove(head: Head): void {
    if (!this.#all.delete(head)) return;
    this.#withPrompt.delete(head);
    this.#promptBytes -= promptBytes(head);
    this.#hashBytes -= hashBytes(head);
    const name = this.#responseNames.get(head);
    // A conversation keeps its name from head to head: only its owner takes it along.
    if (name !== undefined && this.#byResponse.get(name) === head) this.#byResponse.delete(name);
    const key = scopeKey(head.api, head.scope);
    const heads = this.#byScope.get(key)?.filter((other) => other !== head) ?? [];
    if (heads.length > 0) this.#byScope.set(key, heads);
    else this.#byScope.delete(key);
  }

  /** A head that was chosen as baseline is in use: it is the last to go. */
  touch(head: Head): void {
    if (this.#all.delete(head)) this.#all.add(head);
    if (this.#withPrompt.delete(head)) this.#withPrompt.add(head);
  }

  #shrink(): void {
    while (this.#all.size > 1 && this.#isOverfull()) this.remove(this.#all.values().next().value as Head);
    if (this.#promptBytes <= this.#limits.promptBytes) return;
    for (const head of this.#withPrompt) {
      this.#withPrompt.delete(head);
      this.#promptBytes -= promptBytes(head);
      head.prompt = null;
      head.text = null;
      if (this.#promptBytes <= this.#limits.promptBytes) return;
    }
  }

  #isOverfull(): boolean {
    return this.#all.size > this.#limits.heads || this.#hashBytes > this.#limits.hashBytes;
  }
}

function hashBytes({ fingerprint }: Head): number {
  return fingerprint.chain.length * HASH_BYTES_A_SEGMENT;
}

/** Objects around the text of one segment, roughly. */
const BYTES_A_SEGMENT = 300;

/** Newest heads whose bodies are compared with a new one as text. */
const MOST_COMPARED = 3;
const PROBE_CHARACTERS = 64;

/** A look at the middle tells most bodies apart without comparing them. What was added may stand in front of it or behind. */
function mayContinue(before: string, body: string): boolean {
  const middle = before.length >> 1;
  const shifted = middle + body.length - before.length;
  return isAlike(before, middle, body, middle) || isAlike(before, middle, body, shifted);
}

/** One character tells most places apart; to make a string of each takes longer than to compare it. */
function isAlike(before: string, at: number, body: string, bodyAt: number): boolean {
  if (before.charCodeAt(at) !== body.charCodeAt(bodyAt)) return false;
  return before.slice(at, at + PROBE_CHARACTERS) === body.slice(bodyAt, bodyAt + PROBE_CHARACTERS);
}

function scopeKey(api: Api, scope: Scope): string {
  return JSON.stringify([api, scope.thread ?? null, scope.phase ?? null, scope.delegation ?? null]);
}

function promptBytes(head: Head): number {
  if (head.prompt === null) return 0;
  let bytes = head.text?.body.length ?? 0;
  for (const length of head.fingerprint.lengths) bytes += length + BYTES_A_SEGMENT;
  return bytes;
}
