/**
 * `ollama`: the instance keeps its transport in `fetch`, a documented option, and no method is bound to the instance. So a
 * copy with another `fetch` is what the constructor would have made.
 *
 * The copy shares `config` and the list of open streams with the original: `abort()` ends all streams of a client, and for
 * the host the two are one client, whichever of them it calls.
 */
import type { Fetch } from '../fetch-request.ts';
import type { ClientHook } from './client-hook.ts';
import { isObservedAlready } from './observed-already.ts';
import { sameClassCopy } from './same-class-copy.ts';

export const ollamaHook: ClientHook = {
  takes: 'clients of ollama',
  recognises: (client) =>
    typeof Reflect.get(client, 'fetch') === 'function' &&
    typeof Reflect.get(client, 'chat') === 'function' &&
    Array.isArray(Reflect.get(client, 'ongoingStreamedRequests')),
  observe(client, context) {
    const transport = context.fetch ?? (client as { readonly fetch: Fetch }).fetch;
    if (isObservedAlready(transport, context)) return client;
    const fetch = context.recording(transport);
    return sameClassCopy(client, Object.getOwnPropertyDescriptors({ fetch }));
  },
};
