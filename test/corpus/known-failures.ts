/**
 * Variations that the engine does not get right yet, by id, each with the reason. The list may only shrink: the corpus
 * test fails when a case on it passes.
 */
export const KNOWN_FAILURES: Readonly<Record<string, string>> = {};
