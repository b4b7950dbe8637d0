/**
 * Which part of a system prompt changes from call to call. Texts are cut into lines, and lines into sentences; what not
 * every version of a prompt holds is volatile. Versions of one prompt are those of one lineage, and others that are
 * nearly the same: calls that each begin a conversation under one prompt with a clock in it.
 */

/** Nothing is lost: the pieces put together are the text. */
export function piecesOf(text: string): string[] {
  return text.split(/(?<=\n)|(?<=[.!?]\s)/).filter((piece) => piece !== '');
}

interface Family {
  /** Pieces that every version holds. */
  stable: Set<string>;
}

/** Share of a text's characters that another prompt must hold for the two to be versions of one. */
const SAME_PROMPT_SHARE = 0.8;

export class VolatilePieces {
  readonly #families: Family[] = [];
  readonly #byLineage = new Map<string, Family>();
  readonly #byText = new Map<string, Family>();

  add(lineage: string, texts: readonly string[]): void {
    const key = keyOf(texts);
    const pieces = texts.flatMap(piecesOf);
    const family = this.#byText.get(key) ?? this.#byLineage.get(lineage) ?? this.#similar(pieces);
    if (family) {
      const present = new Set(pieces);
      if (!this.#byText.has(key))
        family.stable = new Set([...family.stable].filter((piece) => present.has(piece)));
      this.#byText.set(key, family);
      this.#byLineage.set(lineage, family);
      return;
    }
    const first: Family = { stable: new Set(pieces) };
    this.#families.push(first);
    this.#byText.set(key, first);
    this.#byLineage.set(lineage, first);
  }

  /** Whether a piece of these texts, which were added before, is in every version of them. */
  isStable(texts: readonly string[]): (piece: string) => boolean {
    const stable = this.#byText.get(keyOf(texts))?.stable;
    return (piece) => stable?.has(piece) ?? true;
  }

  #similar(pieces: readonly string[]): Family | undefined {
    const all = lengthOf(pieces);
    return this.#families.find(
      ({ stable }) =>
        lengthOf(pieces.filter((piece) => stable.has(piece))) >= all * SAME_PROMPT_SHARE && all > 0,
    );
  }
}

function keyOf(texts: readonly string[]): string {
  return JSON.stringify(texts);
}

function lengthOf(pieces: readonly string[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}
