/**
 * The common form of what reads a passing response body: JSON, server-sent events, AWS event stream.
 *
 * The terminal event of a stream decides that it is complete, not its end: openai 7 cancels right after `[DONE]`, and a
 * connection that breaks can look like an end.
 */
import type { ResponseFacts } from './response-facts.ts';

export interface BodyReading {
  readonly facts: ResponseFacts;
  /** The event that ends a stream has passed, and what it said. */
  terminal: 'completed' | 'failed' | undefined;
  /** All content has passed, only bookkeeping is missing: a caller who stops here has what it wanted. */
  isContentComplete: boolean;
  /** Whether the end of the body is a proper end although no terminal event passed. */
  isEofProper: boolean;
}

export interface BodyReader {
  push(chunk: Uint8Array): void;
  /** Nothing more will come. `isWhole`: the body ended by itself, else it was cut off. */
  close(isWhole: boolean): void;
}

/** Larger bodies, and single events, are not held: the call is recorded without usage. */
export const MAX_HELD_CHARS = 8 * 1024 * 1024;

export function newBodyReading(): BodyReading {
  return { facts: {}, terminal: undefined, isContentComplete: false, isEofProper: true };
}
