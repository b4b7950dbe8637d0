/**
 * Where heads are kept that several processes share: one interface, in memory or in a server. What is stored are bytes that
 * only `head-record.ts` and `segment-record.ts` can read; a store knows names, ages and sizes.
 *
 * A head is one small record and the names of its chunks. A chunk is a run of segments, named by the running hash of the
 * prefix that it ends: it never changes, conversations that begin alike share it, and a conversation that grows writes
 * its newest chunk alone.
 */

/** What a head is looked up by. */
export interface HeadPlace {
  /** Calls of one pool may be siblings: the API and the phase. */
  readonly pool: string;
  /** Inside the pool: the thread and the delegation. */
  readonly scope: string;
}

export interface StoredHead {
  /** Unique over all processes. */
  readonly id: string;
  /** Equal for conversations that open with the same message. */
  readonly opening: string;
  readonly record: Uint8Array;
  /** Names of its chunks, in order. */
  readonly chunks: readonly string[];
  /** A side call has read this history under another head. */
  readonly wasSummarised: boolean;
}

export interface HeadQuestion extends HeadPlace {
  readonly opening: string;
  /** Chunks that the asker has, and need not be sent. */
  readonly chunks: readonly string[];
  /** A response or conversation that the request names as its history. */
  readonly name: string | null;
}

export interface HeadAnswer {
  /** Oldest first. */
  readonly heads: readonly StoredHead[];
  /** By name: those that the asker does not have. */
  readonly chunks: ReadonlyMap<string, Uint8Array>;
  /** The head that `name` leads to, where there is one. It is among `heads`. */
  readonly named: string | null;
}

export interface HeadChange extends HeadPlace {
  readonly head: StoredHead;
  /** Bytes of a chunk, asked for only where the store lacks it. */
  chunk(name: string): Uint8Array | undefined;
  /** The head that this one takes the place of. */
  readonly replaces: string | null;
  /** The head whose history was read by a side call. */
  readonly summarised: string | null;
  /** Under which the head can be found by the next request. */
  readonly name: string | null;
}

/** No promise of a store rejects: what cannot be had is an empty answer, and what cannot be kept is gone. */
export interface HeadStore {
  /** Tells this process apart from the others that share the store. */
  readonly origin: string;
  /** Where this process begins to number its calls: no two processes give one number. */
  readonly firstIndex: number;
  /** Keys the marks of accounts, so that those of two processes compare; without it they are not stored. */
  readonly accountKey?: Uint8Array | undefined;
  /** Whether the texts of prompts are kept with their hashes. */
  readonly keepsContent: boolean;
  /** False while the store is known to be out of reach: then nobody waits for it. */
  readonly isReachable: boolean;
  /** Heads that a call of this place may continue, in one round trip. */
  candidates(question: HeadQuestion): Promise<HeadAnswer>;
  /** The newest heads of the pool, whatever their scope. */
  siblings(question: HeadQuestion): Promise<HeadAnswer>;
  /** Keeps a head and drops the one that it replaces, at once or not at all. */
  commit(change: HeadChange): Promise<void>;
}

export const NO_HEADS: HeadAnswer = { heads: [], chunks: new Map(), named: null };

/** As many heads as one answer holds. */
export const MOST_ANSWERED = 16;
