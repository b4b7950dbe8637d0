/** Signals of the process: the one thing that a command cannot be handed. */

/** Runs `listener` instead of what the signal would do, until the result is called. */
export function onSignals(
  signals: readonly NodeJS.Signals[],
  listener: (signal: NodeJS.Signals) => void,
): () => void {
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}
