/**
 * Ends what nobody will end: a response whose body is never read, or is dropped halfway.
 *
 * Two nets, as the first one has no promised time: the garbage collector takes the body, or nothing happens for long.
 * Neither keeps the process alive, and neither holds the body.
 */

export interface AbandonmentWatch {
  /** The body is in use at this time (of `performance.now()`): count anew. Runs once a chunk, so that it only notes it. */
  touch(atMs: number): void;
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
  let touchedAtMs = 0;
  let timer: NodeJS.Timeout;
  const wait = (durationMs: number): void => {
    timer = setTimeout(look, durationMs);
    timer.unref();
  };
  const look = (): void => {
    const unusedMs = touchedAtMs === 0 ? abandonedAfterMs : performance.now() - touchedAtMs;
    if (unusedMs >= abandonedAfterMs) onAbandoned();
    else wait(abandonedAfterMs - unusedMs);
  };
  wait(abandonedAfterMs);
  return {
    touch(atMs) {
      touchedAtMs = atMs;
    },
    stop() {
      clearTimeout(timer);
      collectedBodies.unregister(token);
    },
  };
}
