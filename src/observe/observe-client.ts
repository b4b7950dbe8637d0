/**
 * Observes a client by copying it with a recording transport, never by wrapping its methods: every helper of the SDK
 * keeps working, and what is recorded is what was sent.
 *
 * Wrapped methods break the SDKs' own promise: https://github.com/open-telemetry/opentelemetry-js-contrib/issues/3586,
 * https://github.com/Arize-ai/openinference/issues/3397. A Proxy breaks `#private` fields:
 * https://github.com/getsentry/sentry-javascript/pull/17163.
 */
import type { Scope } from '../exchange.ts';
import { report } from '../guard.ts';
import type { Recorder } from './recorder.ts';
import { isRecording, recordingFetch } from './recording-fetch.ts';
import type { Fetch } from './sent-request.ts';
import { isDisabled } from './suppression.ts';

/**
 * What recording needs of a client: a way to copy it with one option replaced. Structural, as the classes of two
 * installed copies of one SDK are not assignable to each other.
 */
export interface CloneableClient {
  withOptions(options: { fetch?: Fetch }): unknown;
}

export interface ObserveOptions {
  /**
   * Who is calling through this client; `withScope` around a call wins over it.
   *
   * @example observe(client, { scope: { phase: 'summariser' } })
   */
  readonly scope?: Scope | undefined;
  /**
   * The transport that sends the requests, where the client was made with its own (a proxy, an agent).
   *
   * @default the client's own `fetch`
   */
  readonly fetch?: Fetch | undefined;
  /** `false` gives back the client as it is. @default true, unless `PREFIXTRACE_DISABLED=1` is set */
  readonly enabled?: boolean | undefined;
}

const SCOPE_PARTS = ['thread', 'phase', 'delegation'] as const;

export function observeClient<Client extends CloneableClient>(
  client: Client,
  options: ObserveOptions,
  currentRecorder: () => Recorder,
): Client {
  checkOptions(options);
  const transport = options.fetch ?? fetchOf(client);
  if (transport === undefined || !isCloneable(client)) throw new TypeError(unknownClientMessage(client));
  if (isDisabled() || options.enabled === false) return client;
  if (isRecording(transport) && options.scope === undefined && options.fetch === undefined) return client;
  const recording = recordingFetch(transport, options.scope ?? {}, currentRecorder);
  const copy = copyOf(client, recording);
  const copyFetch = fetchOf(copy);
  if (copy !== undefined && (copyFetch === undefined || copyFetch === recording)) return copy as Client;
  report('this client does not let its transport be replaced and is not observed', {
    client: nameOf(client),
  });
  return client;
}

/** A client may refuse another transport for good reasons (openai 7 with an X.509 identity): then it stays as it is. */
function copyOf(client: CloneableClient, fetch: Fetch): unknown {
  try {
    return client.withOptions({ fetch });
  } catch (error) {
    report('a client could not be copied and is not observed', error);
    return undefined;
  }
}

function isCloneable(client: unknown): boolean {
  return isObject(client) && typeof Reflect.get(client, 'withOptions') === 'function';
}

/** The `fetch` field is private by type in the official SDKs and there at run time in all of their versions. */
function fetchOf(client: unknown): Fetch | undefined {
  const fetch: unknown = isObject(client) ? Reflect.get(client, 'fetch') : undefined;
  return typeof fetch === 'function' ? (fetch as Fetch) : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function checkOptions(options: unknown): void {
  if (!isObject(options)) {
    throw new TypeError(`observe: options must be an object, got ${nameOf(options)}`);
  }
  const { scope, fetch } = options as Record<string, unknown>;
  if (fetch !== undefined && typeof fetch !== 'function') {
    throw new TypeError(`observe: options.fetch must be a function, got ${nameOf(fetch)}`);
  }
  if (scope === undefined) return;
  if (!isObject(scope)) {
    throw new TypeError(`observe: options.scope must be an object, got ${nameOf(scope)}`);
  }
  for (const name of SCOPE_PARTS) {
    const value: unknown = Reflect.get(scope, name);
    if (value === undefined || typeof value === 'string') continue;
    throw new TypeError(`observe: options.scope.${name} must be a string, got ${nameOf(value)}`);
  }
}

function unknownClientMessage(client: unknown): string {
  return (
    `observe: expected a client with withOptions() and a fetch of its own, such as those of @anthropic-ai/sdk and openai, ` +
    `got ${nameOf(client)}. For anything else pass observeFetch() as its fetch.`
  );
}

/** Names a value without showing its content: a client holds keys. */
function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'function') return value.name === '' ? 'a function' : `the function ${value.name}`;
  if (typeof value !== 'object') return `${typeof value} ${JSON.stringify(String(value).slice(0, 40))}`;
  const name: unknown = value.constructor?.name;
  return typeof name === 'string' && name !== 'Object' ? `an instance of ${name}` : 'a plain object';
}
