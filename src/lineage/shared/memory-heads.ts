/**
 * Heads in the memory of one process, for engines that share them there, and the measure of what other stores do. Bounded
 * by heads and by bytes; what was used least recently goes first.
 */
import type { HeadAnswer, HeadChange, HeadPlace, HeadQuestion, HeadStore, StoredHead } from './head-store.ts';
import { MOST_ANSWERED } from './head-store.ts';

export interface MemoryHeadsOptions {
  /** @default 10000 */
  readonly heads?: number | undefined;
  /** Of records and chunks. @default 64 MiB */
  readonly bytes?: number | undefined;
  readonly headsPerScope?: number | undefined;
  readonly keepsContent?: boolean | undefined;
}

interface Kept extends HeadPlace {
  head: StoredHead;
}

interface KeptChunk {
  readonly bytes: Uint8Array;
  users: number;
}

export function memoryHeads(options: MemoryHeadsOptions = {}): HeadStore & { readonly bytes: number } {
  const { heads: mostHeads = 10_000, bytes: mostBytes = 64 * 1024 * 1024, headsPerScope = 64 } = options;
  /** Oldest first; every use moves a head to the end. */
  const heads = new Map<string, Kept>();
  const chunks = new Map<string, KeptChunk>();
  const names = new Map<string, string>();
  let bytes = 0;

  const drop = (key: string): void => {
    const kept = heads.get(key);
    if (!kept) return;
    heads.delete(key);
    bytes -= kept.head.record.length;
    for (const name of kept.head.chunks) {
      const chunk = chunks.get(`${kept.pool} ${name}`);
      if (!chunk) continue;
      chunk.users -= 1;
      if (chunk.users > 0) continue;
      chunks.delete(`${kept.pool} ${name}`);
      bytes -= chunk.bytes.length;
    }
    for (const [name, id] of names) if (id === key) names.delete(name);
  };

  const answer = (question: HeadQuestion, found: readonly Kept[]): HeadAnswer => {
    const named = question.name === null ? undefined : names.get(`${question.pool} ${question.name}`);
    const byName = named === undefined ? undefined : heads.get(named);
    const taken = mostLikely(found, question.opening);
    if (byName && !taken.includes(byName)) taken.unshift(byName);
    const missing = new Map<string, Uint8Array>();
    for (const { head } of taken) {
      for (const name of head.chunks) {
        const chunk = chunks.get(`${question.pool} ${name}`);
        if (chunk && !question.chunks.includes(name)) missing.set(name, chunk.bytes);
      }
    }
    return { heads: taken.map(({ head }) => head), chunks: missing, named: byName?.head.id ?? null };
  };

  return {
    origin: 'memory',
    firstIndex: 0,
    keepsContent: options.keepsContent ?? false,
    isReachable: true,
    get bytes() {
      return bytes;
    },
    async candidates(question) {
      const found = [...heads.values()].filter(
        ({ pool, scope }) => pool === question.pool && scope === question.scope,
      );
      return answer(question, found);
    },
    async siblings(question) {
      return answer(
        question,
        [...heads.values()].filter(({ pool }) => pool === question.pool),
      );
    },
    async commit(change) {
      const { pool, scope, head } = change;
      const key = `${pool} ${head.id}`;
      drop(key);
      for (const name of head.chunks) {
        const chunkKey = `${pool} ${name}`;
        const chunk = chunks.get(chunkKey) ?? newChunk(change, name);
        if (!chunk) continue;
        if (chunk.users === 0) bytes += chunk.bytes.length;
        chunk.users += 1;
        chunks.set(chunkKey, chunk);
      }
      heads.set(key, { pool, scope, head });
      bytes += head.record.length;
      if (change.replaces !== null) drop(`${pool} ${change.replaces}`);
      const read = change.summarised === null ? undefined : heads.get(`${pool} ${change.summarised}`);
      if (read) read.head = { ...read.head, wasSummarised: true };
      if (change.name !== null) names.set(`${pool} ${change.name}`, key);
      const inScope = [...heads].filter(([, kept]) => kept.pool === pool && kept.scope === scope);
      if (inScope.length > headsPerScope) drop(inScope[0]?.[0] as string);
      while (heads.size > mostHeads || (bytes > mostBytes && heads.size > 1)) {
        drop(heads.keys().next().value as string);
      }
    },
  };
}

function newChunk(change: HeadChange, name: string): KeptChunk | undefined {
  const bytes = change.chunk(name);
  return bytes === undefined ? undefined : { bytes, users: 0 };
}

/** Those that open alike, then the newest; oldest first. */
function mostLikely(found: readonly Kept[], opening: string): Kept[] {
  const others = found.filter(({ head }) => head.opening !== opening);
  const alike = found.filter(({ head }) => head.opening === opening);
  const taken = new Set([...others, ...alike].slice(-MOST_ANSWERED));
  return found.filter((kept) => taken.has(kept));
}
