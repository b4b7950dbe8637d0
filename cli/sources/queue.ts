/** From a callback to an async iteration: holds what was pushed until it is asked for. One reader. */
export class Queue<T> implements AsyncIterable<T> {
  readonly #items: T[] = [];
  #isEnded = false;
  #error: { readonly value: unknown } | undefined;
  #wake: (() => void) | undefined;

  push(item: T): void {
    this.#items.push(item);
    this.#wake?.();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  fail(error: unknown): void {
    this.#error = { value: error };
    this.end();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    while (true) {
      const item = this.#items.shift();
      if (item !== undefined) {
        yield item;
        continue;
      }
      if (this.#error !== undefined) throw this.#error.value;
      if (this.#isEnded) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
