/**
 * The engine's surface, kept apart from its making so that hooks can be built and tested against it.
 *
 * `start` reads and fingerprints a request and chooses its baseline (while the network waits); `finish` joins the
 * response and says what happened (microseconds, so that a span which is still open can carry it). Neither throws on data.
 */
import type { DiagnosedCall } from './diagnosis.ts';
import type { ExchangeRequest, ExchangeResponse } from './exchange.ts';

export interface StartedCall {
  /** Does one more piece of the work of `begin`. False: there is none left. Whatever needs it all does the rest at once. */
  advance?(): boolean;
  /** The response of the call before in this lineage, where there was one and it is known. */
  previousResponseId?(): string | undefined;
  /** Where time does not matter: waits for what would make the figures of `finish` better. Never rejects. */
  prepare?(response: ExchangeResponse | undefined): Promise<void>;
  /** Call once. A call that never finishes is forgotten and never becomes a baseline. */
  finish(response: ExchangeResponse | undefined): DiagnosedCall | Unreadable;
  /** The call is over and nothing is known of its response: forget it. */
  abandon(): void;
}

/** The body could not be read as a prompt: counted and named, never thrown. */
export interface Unreadable {
  readonly unreadable: string;
}

export interface Engine {
  start(request: ExchangeRequest): StartedCall;
  /** `start` in pieces of a few milliseconds, for whoever shares the event loop with others. Nothing is done before `advance`. */
  begin?(request: ExchangeRequest): StartedCall;
  /** Resolves when what was said of finished calls is with those who share it. Never rejects. */
  settled?(): Promise<void>;
}
