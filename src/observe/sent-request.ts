/**
 * A request as a hook saw it go out, whatever transport carries it.
 */

export interface SentRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Iterable<readonly [string, string]>;
  readonly signal: AbortSignal | undefined;
  /** The body as text; `undefined` where it is no text at hand: a stream, a form. */
  readBody(): string | undefined;
  /** Where the text needs a moment: the copied body of a `Request` object. Fulfils with `undefined` where there is none. */
  readonly bodyLater?: Promise<string | undefined> | undefined;
}
