/** Attributes of a stored span, read with their types checked: another writer may have put anything there. */
import type { StoredAttributes } from '../../src/store/otlp-json.ts';

export class StoredValues {
  readonly #attributes: StoredAttributes;

  constructor(attributes: StoredAttributes) {
    this.#attributes = attributes;
  }

  text(name: string): string | null {
    const value = this.#attributes[name];
    return typeof value === 'string' ? value : null;
  }

  number(name: string): number | null {
    const value = this.#attributes[name];
    return typeof value === 'number' ? value : null;
  }

  flag(name: string): boolean | null {
    const value = this.#attributes[name];
    return typeof value === 'boolean' ? value : null;
  }

  texts(name: string): string[] {
    const value = this.#attributes[name];
    return Array.isArray(value) ? value.filter((part) => typeof part === 'string') : [];
  }

  /** The text, where it is one of the words that we know. */
  oneOf<T extends string>(name: string, words: readonly T[]): T | null {
    const value = this.#attributes[name];
    return words.find((word) => word === value) ?? null;
  }
}
