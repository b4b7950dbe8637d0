/**
 * What has to be done before the process ends. One pair of listeners for all of it, added at first need.
 *
 * `beforeExit` comes when nothing else is to do, and asynchronous work may still be started there; it does not come after
 * `process.exit()`. `exit` always comes, short of a signal, and only synchronous work counts. Signals are the host's:
 * a handler of ours would change how it dies.
 */
export interface ExitTask {
  /** Ends what others then write. Runs first. */
  readonly isSource?: boolean;
  flush(): Promise<void>;
  flushSync(): void;
}

const tasks = new Set<ExitTask>();
let isListening = false;

/** Returns the way to take the task off again. */
export function atExit(task: ExitTask): () => void {
  tasks.add(task);
  if (!isListening) {
    isListening = true;
    process.on('beforeExit', flushAll);
    process.on('exit', flushAllSync);
  }
  return () => tasks.delete(task);
}

function inOrder(): ExitTask[] {
  return [...tasks].sort((a, b) => Number(b.isSource ?? false) - Number(a.isSource ?? false));
}

function flushAll(): void {
  // Promises alone do not keep a process alive: with nothing left to write `beforeExit` does not come again.
  for (const task of inOrder()) task.flush().catch(() => undefined); // tasks report their own troubles
}

function flushAllSync(): void {
  for (const task of inOrder()) {
    try {
      task.flushSync();
    } catch {
      // Nobody is left to tell, and an error here would change the host's exit code.
    }
  }
}
