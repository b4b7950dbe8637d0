/**
 * Keeps a request from being recorded twice where one recording transport sends through another: the outer one names what
 * it sends, and the inner one lets that pass.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

const sending = new AsyncLocalStorage<unknown>();

/** `mark` tells the request from any other that is sent meanwhile. */
export function sendMarked<Result>(mark: unknown, send: () => Result): Result {
  return sending.run(mark, send);
}

export function isSentAlready(mark: unknown): boolean {
  return mark !== undefined && mark === sending.getStore();
}
