/**
 * Runs tasks in order, one per turn of the event loop, so that a burst of calls never holds up the host's own work. A task that
 * answers `more` goes on in the next turn, before those behind it. Closed at first: tasks wait until `open`.
 */
import { guard } from '../guard.ts';

type Task = () => 'more' | undefined;

export class TaskQueue {
  #tasks: Task[] = [];
  #isOpen = false;
  #isScheduled = false;
  #drainWaiters: (() => void)[] = [];

  get size(): number {
    return this.#tasks.length;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    this.#isOpen = true;
    this.#schedule();
  }

  push(task: Task): void {
    this.#tasks.push(task);
    this.#schedule();
  }

  /** Resolves when nothing waits. */
  async drained(): Promise<void> {
    if (this.#tasks.length === 0) return;
    await new Promise<void>((resolve) => {
      this.#drainWaiters.push(resolve);
    });
  }

  #schedule(): void {
    if (!this.#isOpen || this.#isScheduled || this.#tasks.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => this.#runOne());
  }

  #runOne(): void {
    this.#isScheduled = false;
    const task = this.#tasks.shift();
    if (task !== undefined && guard('a queued step failed', task) === 'more') this.#tasks.unshift(task);
    if (this.#tasks.length > 0) {
      this.#schedule();
      return;
    }
    for (const resolve of this.#drainWaiters.splice(0)) resolve();
  }
}
