/**
 * Observes a client: finds the hook of its kind, which copies it with a recording transport. Methods are never wrapped, so
 * every helper of the SDK keeps working, and what is recorded is what was sent.
 *
 * Wrapped methods break the SDKs' own promise: https://github.com/open-telemetry/opentelemetry-js-contrib/issues/3586,
 * https://github.com/Arize-ai/openinference/issues/3397. A Proxy breaks `#private` fields:
 * https://github.com/getsentry/sentry-javascript/pull/17163.
 */
import type { Scope } from '../exchange.ts';
import { report } from '../guard.ts';
import { isDisabled } from '../switches.ts';
import type { ClientHook, HookContext } from './clients/client-hook.ts';
import { CLIENT_HOOKS } from './clients/index.ts';
import type { Fetch } from './fetch-request.ts';
import type { Recorder } from './recorder.ts';
import { isRecording, recordingFetch } from './recording-fetch.ts';

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
  /**
   * Ask for the provider's own cache diagnosis and put it beside ours: Anthropic's `diagnostics` and, for Responses of
   * GPT-5.6 and later, OpenAI's `comparison_response_id`. Changes the request by that one member, and reads the request
   * before it is sent instead of after.
   *
   * @default false
   */
  readonly providerDiagnostics?: boolean | undefined;
  /** `false` gives back the client as it is. @default true, unless `PREFIXTRACE_DISABLED=1` is set */
  readonly enabled?: boolean | undefined;
}

const SCOPE_PARTS = ['thread', 'phase', 'delegation'] as const;

export function observeClient<Client extends object>(
  client: Client,
  options: ObserveOptions,
  currentRecorder: () => Recorder,
): Client {
  checkOptions(options);
  const hook = isHookable(client) ? hookOf(client) : undefined;
  if (hook === undefined) throw new TypeError(unknownClientMessage(client));
  if (isDisabled() || options.enabled === false) return client;
  const scope = options.scope ?? {};
  const context: HookContext = {
    scope,
    fetch: options.fetch,
    currentRecorder,
    recording: (fetch) =>
      recordingFetch(fetch, { scope, asksProvider: options.providerDiagnostics }, currentRecorder),
    isRecording: (fetch) => isRecording(fetch, options.providerDiagnostics),
    observeInner: (inner) => hookOf(inner)?.observe(inner, context),
  };
  const copy = copyOf(client, hook, context);
  if (copy !== undefined) return copy as Client;
  report('this client does not let its transport be replaced and is not observed', {
    client: nameOf(client),
  });
  return client;
}

function hookOf(client: object): ClientHook | undefined {
  return CLIENT_HOOKS.find((hook) => hook.recognises(client));
}

/** A client may refuse another transport for good reasons (openai 7 with an X.509 identity): then it stays as it is. */
function copyOf(client: object, hook: ClientHook, context: HookContext): object | undefined {
  try {
    return hook.observe(client, context);
  } catch (error) {
    report('a client could not be copied and is not observed', error);
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Providers of the AI SDK are functions. */
function isHookable(value: unknown): value is object {
  return isObject(value) || typeof value === 'function';
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
  const known = CLIENT_HOOKS.map((hook) => hook.takes).join('; ');
  return `observe: got ${nameOf(client)}, which is none of: ${known}. For anything else pass observeFetch() as its fetch.`;
}

/** Names a value without showing its content: a client holds keys. */
function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'function') return value.name === '' ? 'a function' : `the function ${value.name}`;
  if (typeof value !== 'object') return `${typeof value} ${JSON.stringify(String(value).slice(0, 40))}`;
  const name: unknown = value.constructor?.name;
  return typeof name === 'string' && name !== 'Object' ? `an instance of ${name}` : 'a plain object';
}
