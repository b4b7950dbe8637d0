/**
 * What the hook of one kind of client has to be. `index.ts` lists the hooks: adding a client is adding a file.
 *
 * A hook copies the client with a recording transport, by the way that its documentation names; it never wraps methods that
 * return the client's own promises, never changes the client it was given, and never imports the client's package.
 */
import type { Scope } from '../../exchange.ts';
import type { Fetch } from '../fetch-request.ts';
import type { Recorder } from '../recorder.ts';

export interface HookContext {
  /** Of all calls through this client; what `withScope` says around a call wins. */
  readonly scope: Scope;
  /** The transport that the user named in the options. */
  readonly fetch: Fetch | undefined;
  readonly currentRecorder: () => Recorder;
  /** Records on top of `fetch`; what records already gains the scope and is not recorded twice. */
  recording(fetch: Fetch): Fetch;
  /** Whether `fetch` records already, in which case a client may be left as it is where there is no scope to add. */
  isRecording(fetch: Fetch): boolean;
  /** The observed copy of a client that this one keeps inside; `undefined` where no hook takes it. May throw. */
  observeInner(client: object): object | undefined;
}

export interface ClientHook {
  /** The clients it takes, in the words of the error message. */
  readonly takes: string;
  /** By shape and not by class: there may be several copies of one package. Reads, never calls. */
  recognises(client: object): boolean;
  /**
   * The observed copy, of the same class; the client itself where it is observed already; `undefined` where it refuses.
   * May throw: the caller reports it and leaves the client as it is.
   */
  observe(client: object, context: HookContext): object | undefined;
}
