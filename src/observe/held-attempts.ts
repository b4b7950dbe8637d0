/**
 * Failed attempts that may be tried again, each held until its retry comes or is no longer to be expected, so that the
 * attempts of one call become one record.
 *
 * Nothing in a retry names the attempt before it: it is the same body at the same address, under the number that comes next
 * where the client numbers its attempts. AWS clients name the call.
 */
import type { ExchangeRequest, ExchangeResponse } from '../exchange.ts';
import { INVOCATION_HEADER } from '../headers.ts';

/** What two attempts of one call have in common. */
export interface Attempt {
  readonly request: ExchangeRequest;
  /** Whatever is the same object for all that one caller does: tells equal calls of two callers apart. */
  readonly caller: unknown;
}

interface Held<Call> {
  readonly attempt: Attempt;
  readonly call: Call;
  readonly giveUp: () => void;
  readonly timer: NodeJS.Timeout;
}

/** The official SDKs wait eight seconds at most, where the server does not ask for more. */
const LONGEST_BACKOFF_MS = 10_000;
/** They obey a server that asks for no more than a minute. */
const LONGEST_RETRY_AFTER_MS = 65_000;
/** Bodies are held for the comparison. */
const MOST_HELD = 64;
const MOST_HELD_CHARS = 32 * 1024 * 1024;

export class HeldAttempts<Call> {
  readonly #held = new Set<Held<Call>>();
  #heldChars = 0;

  /** `giveUp` runs once no retry is expected any more. */
  hold(attempt: Attempt, response: ExchangeResponse, call: Call, giveUp: () => void): void {
    const waitMs = Math.min((response.retryAfterMs ?? 0) + LONGEST_BACKOFF_MS, LONGEST_RETRY_AFTER_MS);
    const timer = setTimeout(() => this.#giveUp(held), waitMs);
    timer.unref();
    const held: Held<Call> = { attempt, call, giveUp, timer };
    this.#held.add(held);
    this.#heldChars += charsOf(attempt);
    while (this.#held.size > MOST_HELD || this.#heldChars > MOST_HELD_CHARS) {
      const [oldest] = this.#held;
      if (oldest === undefined) break;
      this.#giveUp(oldest);
    }
  }

  /** The call that this attempt tries again, the caller's own first. */
  takeRetried(attempt: Attempt): Call | undefined {
    if (this.#held.size === 0) return undefined;
    let found: Held<Call> | undefined;
    for (const held of this.#held) {
      if (!isRetryOf(attempt.request, held.attempt.request)) continue;
      const isOwn = held.attempt.caller === attempt.caller;
      if (isOwn || found === undefined) found = held;
      if (isOwn) break;
    }
    if (found === undefined) return undefined;
    this.#forget(found);
    return found.call;
  }

  giveUpAll(): void {
    for (const held of this.#held) this.#giveUp(held);
  }

  #giveUp(held: Held<Call>): void {
    this.#forget(held);
    held.giveUp();
  }

  #forget(held: Held<Call>): void {
    clearTimeout(held.timer);
    if (this.#held.delete(held)) this.#heldChars -= charsOf(held.attempt);
  }
}

const REPEATABLE_STATUS: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** Whether clients try again after this: a network fault before any response, or a status that says so. */
export function mayBeRetried({ ending, status }: ExchangeResponse): boolean {
  if (ending !== 'failed') return false;
  return status === undefined || REPEATABLE_STATUS.has(status) || status >= 500;
}

const COUNT_HEADER = 'x-stainless-retry-count';

function isRetryOf(now: ExchangeRequest, before: ExchangeRequest): boolean {
  if (now.api !== before.api || now.endpoint !== before.endpoint) return false;
  const invocation = now.headers?.[INVOCATION_HEADER];
  if (invocation !== before.headers?.[INVOCATION_HEADER]) return false;
  if (invocation !== undefined) return true;
  if (!isNextCount(now.headers?.[COUNT_HEADER], before.headers?.[COUNT_HEADER])) return false;
  return now.body === before.body;
}

function isNextCount(now: string | undefined, before: string | undefined): boolean {
  return now === undefined || before === undefined ? now === before : Number(now) === Number(before) + 1;
}

function charsOf({ request: { body } }: Attempt): number {
  return typeof body === 'string' ? body.length : 0;
}
