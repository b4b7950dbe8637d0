/**
 * Ends what nobody will end: a response whose body is never read, or is dropped halfway.
 *
 * Two nets, as the first one has no promised time: the garbage collector takes the body, or nothing happens for long.
 * Neither keeps the process alive, and neither holds the body.
 */

export interface AbandonmentWatch {
  /** The body is in use: count the time anew. */
  touch(): void;
  stop(): void;
}

/** Longer than the slowest pause between two chunks that anyone reported; the official SDKs give up after 10 minutes. */
const ABANDONED_AFTER_MS = 15 * 60 * 1000;

const collectedBodies = new FinalizationRegistry<() => void>((onAbandoned) => onAbandoned());

/** `onAbandoned` must not reach `body`, or `body` could never be collected. */
export function watchForAbandonment(
  body: object,
  onAbandoned: () => void,
  abandonedAfterMs: number = ABANDONED_AFTER_MS,
): AbandonmentWatch {
  const token = {};
  collectedBodies.register(body, onAbandoned, token);
  const timer = setTimeout(onAbandoned, abandonedAfterMs);
  timer.unref();
  return {
    touch() {
      timer.refresh();
    },
    stop() {
      clearTimeout(timer);
      collectedBodies.unregister(token);
    },
  };
}
