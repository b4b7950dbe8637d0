/**
 * `@google/genai`: takes a transport as the documented option `httpOptions.fetch`, from 2.26 on. The client does not keep all
 * options that it was made with (credentials of Vertex above all), so it cannot be made anew; instead the copy gets other
 * `models` and `chats`, the parts that call models, over a copy of the internal API client that holds the option. All other
 * parts remain the client's own.
 */
import type { Fetch } from '../fetch-request.ts';
import type { ClientHook } from './client-hook.ts';
import { isObservedAlready } from './observed-already.ts';
import { sameClassCopy } from './same-class-copy.ts';

interface HttpOptions {
  readonly fetch?: Fetch | undefined;
}

interface ApiClient {
  readonly clientOptions: { readonly httpOptions?: HttpOptions | undefined };
  /** Exists where the option `fetch` does. */
  getFetch?(): Fetch | undefined;
  includeExtraHttpOptionsToRequestInit?(
    init: unknown,
    options: HttpOptions | undefined,
    ...rest: unknown[]
  ): unknown;
}

interface Models {
  readonly apiClient: ApiClient;
  readonly constructor: new (apiClient: ApiClient) => Models;
}

interface GoogleClient {
  readonly models: Models;
  readonly chats: { readonly constructor: new (models: Models, apiClient: ApiClient) => object };
}

export const googleGenAIHook: ClientHook = {
  takes: 'clients of @google/genai',
  recognises(client) {
    // First its own field: other clients build their `models` when asked for them.
    if (typeof Reflect.get(client, 'apiClient') !== 'object') return false;
    const models: unknown = Reflect.get(client, 'models');
    return (
      typeof models === 'object' &&
      models !== null &&
      typeof Reflect.get(models, 'generateContent') === 'function' &&
      typeof Reflect.get(models, 'apiClient') === 'object'
    );
  },
  observe(client, context) {
    const { models, chats } = client as GoogleClient;
    const { apiClient } = models;
    if (typeof apiClient.getFetch !== 'function') return undefined;
    const own = apiClient.clientOptions.httpOptions?.fetch;
    // As the SDK without the option: whatever the global `fetch` is at the time of the call.
    const transport = context.fetch ?? own ?? ((input, init) => fetch(input, init));
    if (isObservedAlready(transport, context)) return client;
    const recordingApiClient = withFetch(apiClient, context.fetch ?? own, context.recording(transport));
    if (recordingApiClient === undefined) return undefined;
    const recordingModels = new models.constructor(recordingApiClient);
    const parts = {
      models: recordingModels,
      chats: new chats.constructor(recordingModels, recordingApiClient),
    };
    return sameClassCopy(client, Object.getOwnPropertyDescriptors(parts));
  },
};

function withFetch(apiClient: ApiClient, own: Fetch | undefined, recording: Fetch): ApiClient | undefined {
  const { clientOptions } = apiClient;
  const changes = {
    clientOptions: { ...clientOptions, httpOptions: { ...clientOptions.httpOptions, fetch: recording } },
    /** For its own transport the SDK lifts undici's time limits, for a user's it does not: ours must not count as one. */
    includeExtraHttpOptionsToRequestInit(
      this: ApiClient,
      init: unknown,
      options: HttpOptions | undefined,
      ...rest: unknown[]
    ) {
      const asWithoutUs = options?.fetch === recording ? { ...options, fetch: own } : options;
      return apiClient.includeExtraHttpOptionsToRequestInit?.call(this, init, asWithoutUs, ...rest);
    },
  };
  return sameClassCopy(apiClient, Object.getOwnPropertyDescriptors(changes));
}
