/**
 * The live heads, by scope. Bounded in three ways, and the owner of all of it: heads a scope, heads in all (least
 * recently used goes first, one at a time), and bytes of prompts that are kept to point at the byte.
 */
import type { Api, Scope } from '../exchange.ts';
import type { Head } from './head.ts';

export interface HeadLimits {
  /** Heads that one scope may hold: more than this many conversations interleaved in one scope lose the oldest. */
  readonly headsPerScope: number;
  readonly heads: number;
  /** Approximate bytes of prompt text kept over all heads. */
  readonly promptBytes: number;
}

export const DEFAULT_HEAD_LIMITS: HeadLimits = { headsPerScope: 64, heads: 10_000, promptBytes: 64 * 1024 * 1024 };

export class Heads {
  readonly #limits: HeadLimits;
  /** Oldest first; every use moves a head to the end. */
  readonly #all = new Set<Head>();
  readonly #byScope = new Map<string, Head[]>();
  readonly #byResponse = new Map<string, Head>();
  #promptBytes = 0;

  constructor(limits: HeadLimits = DEFAULT_HEAD_LIMITS) {
    this.#limits = limits;
  }

  /** Heads whose conversation this call may continue, newest last. */
  inScope(api: Api, scope: Scope): readonly Head[] {
    return this.#byScope.get(scopeKey(api, scope)) ?? [];
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

  add(head: Head, replaced?: Head): void {
    if (replaced) this.remove(replaced);
    const key = scopeKey(head.api, head.scope);
    const heads = this.#byScope.get(key) ?? [];
    heads.push(head);
    this.#byScope.set(key, heads);
    this.#all.add(head);
    this.#promptBytes += promptBytes(head);
    if (heads.length > this.#limits.headsPerScope) this.remove(heads[0] as Head);
    this.#shrink();
  }

  /** Makes a finished head findable by the id that the next request may name. */
  rememberResponse(id: string, head: Head): void {
    this.#byResponse.set(id, head);
    if (this.#byResponse.size > this.#limits.heads) {
      this.#byResponse.delete(this.#byResponse.keys().next().value as string);
    }
  }

  remove(head: Head): void {
    if (!this.#all.delete(head)) return;
    this.#promptBytes -= promptBytes(head);
    const key = scopeKey(head.api, head.scope);
    const heads = this.#byScope.get(key)?.filter((other) => other !== head) ?? [];
    if (heads.length > 0) this.#byScope.set(key, heads);
    else this.#byScope.delete(key);
  }

  /** A head that was chosen as baseline is in use: it is the last to go. */
  touch(head: Head): void {
    if (this.#all.delete(head)) this.#all.add(head);
  }

  #shrink(): void {
    while (this.#all.size > this.#limits.heads) this.remove(this.#all.values().next().value as Head);
    if (this.#promptBytes <= this.#limits.promptBytes) return;
    for (const head of this.#all) {
      if (head.prompt === null) continue;
      this.#promptBytes -= promptBytes(head);
      head.prompt = null;
      if (this.#promptBytes <= this.#limits.promptBytes) return;
    }
  }
}

function scopeKey(api: Api, scope: Scope): string {
  return JSON.stringify([api, scope.thread ?? null, scope.phase ?? null, scope.delegation ?? null]);
}

function promptBytes(head: Head): number {
  if (head.prompt === null) return 0;
  let bytes = 0;
  for (const length of head.fingerprint.lengths) bytes += length * 2 + 200;
  return bytes;
}
