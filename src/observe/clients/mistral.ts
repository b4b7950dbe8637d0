/**
 * `@mistralai/mistralai`: takes a transport as the documented option `httpClient`. The copy is made by the constructor from
 * the options that the client keeps: its fields are private, and its parts are built from these options on first use.
 *
 * Recorded is what passes below the hooks of the user's own `HTTPClient`, which may still change a request. A subclass of it
 * may do anything, so that one is recorded around: it stays whole, and what it sends is seen as it got it.
 */
import type { Fetch } from '../fetch-request.ts';
import type { ClientHook, HookContext } from './client-hook.ts';
import { isObservedAlready } from './observed-already.ts';

/** The two methods of the SDK's `HTTPClient` that matter: `request` runs hooks around `fetcher`. */
interface HttpClient {
  request(request: Request): Promise<Response>;
  readonly fetcher?: Fetch;
}

interface MistralOptions {
  readonly httpClient?: HttpClient | undefined;
}

interface MistralClient {
  readonly _options: MistralOptions;
  readonly constructor: new (options: MistralOptions) => MistralClient;
}

export const mistralHook: ClientHook = {
  takes: 'clients of @mistralai/mistralai',
  // Not by `chat`: it is a getter that builds a part of the client.
  recognises: (client) =>
    typeof Reflect.get(client, '_options') === 'object' &&
    typeof Reflect.get(client, '_createRequest') === 'function' &&
    typeof Reflect.get(client, '_do') === 'function',
  observe(client, context) {
    const { _options: options, constructor: ClientClass } = client as MistralClient;
    const { httpClient: own } = options;
    const name = own !== undefined && isPlain(own) ? 'fetcher' : 'request';
    const transport = context.fetch ?? transportOf(own, name, context);
    if (isObservedAlready(transport, context)) return client;
    // Inherits the hooks, also those that are added later.
    const httpClient = Object.create(own ?? Object.prototype, {
      [name]: { value: context.recording(transport), writable: true, enumerable: true, configurable: true },
    }) as HttpClient;
    const copy = new ClientClass({ ...options, httpClient });
    return copy._options?.httpClient === httpClient ? copy : undefined;
  },
};

/** Of the SDK's own class, which extends none, and not of a subclass. */
function isPlain(httpClient: HttpClient): boolean {
  const { prototype } = httpClient.constructor as { readonly prototype: object };
  return typeof httpClient.fetcher === 'function' && Object.getPrototypeOf(prototype) === Object.prototype;
}

function transportOf(own: HttpClient | undefined, name: 'fetcher' | 'request', context: HookContext): Fetch {
  // As the SDK without an `httpClient`: whatever the global `fetch` is at the time of the call.
  if (own === undefined) return (input, init) => (init === undefined ? fetch(input) : fetch(input, init));
  const method = own[name] as Fetch;
  if (name === 'fetcher' || context.isRecording(method)) return method;
  return (request) => own.request(request as Request);
}
