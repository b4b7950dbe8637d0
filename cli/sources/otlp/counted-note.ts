/** One note for many things of a kind: its count rises, and falls where more is learned. */
import type { Note, Notes } from '../notes.ts';

export class CountedNote implements Note {
  readonly source = null;
  readonly #notes: Notes;
  readonly #words: (count: number) => string;
  #count = 0;

  constructor(notes: Notes, words: (count: number) => string) {
    this.#notes = notes;
    this.#words = words;
  }

  get reason(): string {
    return this.#words(this.#count);
  }

  add(difference: number): void {
    if (difference === 0) return;
    const { first } = this.#notes;
    // In front: among many of another kind the one note of this kind would be lost.
    if (this.#count === 0) first.unshift(this);
    this.#count += difference;
    this.#notes.count += difference;
    if (this.#count === 0) first.splice(first.indexOf(this), 1);
  }
}
