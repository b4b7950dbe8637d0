/**
 * `prefixtrace/redis`: heads that several instances share through Redis or Valkey, over the client that the application has.
 * Nothing of it is imported here, and no call ever waits for it.
 */
import { randomBytes } from 'node:crypto';
import type { MeterProvider } from '@opentelemetry/api';
import { report } from '../guard.ts';
import {
  type HeadAnswer,
  type HeadChange,
  type HeadQuestion,
  type HeadStore,
  MOST_ANSWERED,
  NO_HEADS,
} from '../lineage/shared/head-store.ts';
import { packValue, unpackValue } from './head-value.ts';
import { createHealth } from './health.ts';
import { RecentNames } from './recent-names.ts';
import { commandsOf, type RedisClientLike } from './redis-client.ts';
import { readNames, readReply } from './replies.ts';
import { createScriptRunner } from './script-runner.ts';
import { ASK, COMMIT } from './scripts.ts';
import { createSeal, derivedKey } from './seal.ts';

export type { RedisClientLike } from './redis-client.ts';

export interface RedisHeadsOptions {
  /** In front of all keys. @default 'prefixtrace:' */
  readonly prefix?: string | undefined;
  /** How long a conversation is kept after its last call. @default 24 hours */
  readonly ttlMs?: number | undefined;
  /**
   * Seals what is stored and keys all names; the same for all instances. Without one a key that anybody can derive is taken:
   * then whoever reads the server can test guesses of prompts, and accounts are not compared across instances.
   *
   * @default `PREFIXTRACE_SECRET`
   */
  readonly secret?: string | Uint8Array | undefined;
  /**
   * Keeps the texts of prompts too, sealed: only then can a change be shown to the byte, and named by its words, where another
   * instance saw the call before. Needs a secret of its own.
   *
   * @default false
   */
  readonly content?: boolean | undefined;
  /** After that an answer is given up and local heads are used. @default 250 */
  readonly deadlineMs?: number | undefined;
  /** @default the global one */
  readonly meterProvider?: MeterProvider | undefined;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
const HEADS_A_SCOPE = 64;
/** For whoever looks for siblings: more than one answer holds, as some will have been replaced. */
const HEADS_A_POOL = 64;

/**
 * @example
 * startPrefixtrace({ heads: redisHeads(createClient({ url })) });
 */
export function redisHeads(client: RedisClientLike, options: RedisHeadsOptions = {}): HeadStore {
  const { prefix = 'prefixtrace:', ttlMs = DAY_MS, deadlineMs = 250, content = false } = options;
  const secret = options.secret ?? process.env.PREFIXTRACE_SECRET;
  if (content && !secret) throw new TypeError('redisHeads: `content` needs a `secret`, or texts lie open');
  const commands = commandsOf(client);
  const { name, seal, open } = createSeal(secret || 'no secret');
  const health = createHealth({
    deadlineMs,
    meterProvider: options.meterProvider,
    isReady: () => commands.isReady,
  });
  const run = createScriptRunner(commands);

  const present = new RecentNames();

  const keysOf = (pool: string, scope: Buffer) => {
    const start = `${prefix}{${name(pool).toString('hex')}}`;
    return [Buffer.concat([Buffer.from(`${start}s:`), scope]), Buffer.from(`${start}z`)];
  };

  const ask = async (question: HeadQuestion, where: 'scope' | 'pool'): Promise<HeadAnswer> => {
    const keys = keysOf(question.pool, name(question.scope));
    const own = new Map(question.chunks.map((chunk) => [name(chunk).toString('hex'), chunk]));
    const args = [name(question.opening), String(MOST_ANSWERED), where, nameOr(question.name)];
    const reply = await health.run('read', async () =>
      readReply(await run(ASK, keys, [...args, ...question.chunks.map(name)])),
    );
    if (!reply) return NO_HEADS;
    const nameOf = (chunk: Buffer) => own.get(chunk.toString('hex')) ?? chunk.toString('hex');
    const heads = reply.heads.map(([id, value]) => unpackValue(id.toString(), value, nameOf, open));
    const chunks = reply.chunks.map(([chunk, bytes]) => [nameOf(chunk), open(bytes)] as const);
    const ours = heads.filter((head) => head !== undefined);
    const isForeign = ours.length < heads.length || chunks.some(([, bytes]) => bytes === undefined);
    if (isForeign) {
      health.count('read', 'foreign');
      report('the shared heads hold what this version or this secret cannot read; it is left out', {});
    }
    return {
      heads: ours,
      chunks: new Map(chunks.filter((chunk): chunk is [string, Uint8Array] => chunk[1] !== undefined)),
      named: reply.named === '' ? null : reply.named,
    };
  };

  const commit = async (change: HeadChange): Promise<void> => {
    const { head } = change;
    const scope = name(change.scope);
    const keys = keysOf(change.pool, scope);
    const value = packValue(head, { name, seal });
    const args = [
      ...[scope, head.id, value, String(ttlMs), String(HEADS_A_SCOPE), String(HEADS_A_POOL)],
      ...[change.replaces ?? '', change.summarised ?? '', nameOr(change.name)],
    ];
    const send = (chunks: readonly string[]) => {
      const parts = chunks.flatMap((chunk) => {
        const bytes = change.chunk(chunk);
        return bytes ? [name(chunk), seal(bytes)] : [];
      });
      return health.run('commit', async () => readNames(await run(COMMIT, keys, [...args, ...parts])));
    };
    const inPool = (chunk: string) => `${change.pool} ${chunk}`;
    const missing = await send(head.chunks.filter((chunk) => !present.has(inPool(chunk))));
    if (!missing) return;
    // Gone in the meantime: expired, evicted or flushed.
    const lost = head.chunks.filter((chunk) => missing.has(name(chunk).toString('hex')));
    if (lost.length > 0 && !(await send(lost))) return;
    for (const chunk of head.chunks) present.add(inPool(chunk));
  };

  const nameOr = (text: string | null): Buffer | string => (text === null ? '' : name(text));

  return {
    origin: randomBytes(5).toString('hex'),
    // Room for four thousand million calls of each of a million processes.
    firstIndex: (randomBytes(4).readUInt32BE() % 2 ** 20) * 2 ** 32,
    accountKey: secret ? derivedKey(secret, 'accounts') : undefined,
    keepsContent: content,
    get isReachable() {
      return health.isReachable;
    },
    candidates: (question) => ask(question, 'scope'),
    siblings: (question) => ask(question, 'pool'),
    commit,
  };
}
