/** Names of chunks that the server was seen to have: bounded, oldest first out. It may have lost one: it says so. */
export class RecentNames {
  readonly #names = new Set<string>();

  has(name: string): boolean {
    return this.#names.has(name);
  }

  add(name: string): void {
    this.#names.delete(name);
    this.#names.add(name);
    if (this.#names.size > MOST_NAMES) this.#names.delete(this.#names.values().next().value as string);
  }
}

const MOST_NAMES = 10_000;
