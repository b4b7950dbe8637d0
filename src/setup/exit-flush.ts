/**
 * What is exported in batches must leave before the process does.
 *
 * At its natural end there is time for one more export. A signal is the host's: where the host listens to it, we flush
 * beside it and the host decides; where nobody does, the process would die at once, so we flush first, for a bounded
 * time, and then let it die of the same signal. After `process.exit()` nothing can be sent: await `flush()` before it.
 */
import { atExit } from '../at-exit.ts';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** Well within the ten seconds that container runtimes give. */
const MAX_SIGNAL_FLUSH_MS = 3_000;

export interface ExitFlush {
  /** Something was recorded since the last flush. Without it an export at `beforeExit` would bring about the next one. */
  note(): void;
  stop(): void;
}

export function flushAtExit(flush: () => Promise<void>): ExitFlush {
  let isDirty = false;
  const forget = atExit({
    async flush() {
      if (!isDirty) return;
      isDirty = false;
      await flush();
    },
    flushSync: () => undefined,
  });
  const stopListening = SIGNALS.map((signal) => flushAtSignal(signal, flush));
  return {
    note() {
      isDirty = true;
    },
    stop() {
      forget();
      for (const stop of stopListening) stop();
    },
  };
}

function flushAtSignal(signal: NodeJS.Signals, flush: () => Promise<void>): () => void {
  const stop = () => void process.removeListener(signal, onSignal);
  let isDying = false;
  const die = () => {
    stop();
    // The host may have begun to listen meanwhile: then it has the last word.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  const onSignal = () => {
    const isAlone = process.listenerCount(signal) === 1;
    if (!isAlone) return void flush();
    if (isDying) return die(); // asked twice: at once
    isDying = true;
    void Promise.race([flush(), delay(MAX_SIGNAL_FLUSH_MS)]).finally(die);
  };
  process.on(signal, onSignal);
  return stop;
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
