/**
 * Clients of the generation before `withOptions()`: openai 4 with Azure, and others of the same generator. A copy of the
 * client with another `fetch` (a documented option) is what the constructor would have made; its parts refer back to the
 * client and are copied with it.
 *
 * Not made anew by the constructor: that of Azure wants options which the client does not keep.
 */
import type { Fetch } from '../fetch-request.ts';
import type { ClientHook } from './client-hook.ts';
import { isObservedAlready } from './observed-already.ts';
import { sameClassCopy } from './same-class-copy.ts';

interface Part {
  _client: object;
}

export const beforeWithOptionsHook: ClientHook = {
  takes: 'clients of openai 4',
  recognises: (client) =>
    typeof Reflect.get(client, 'fetch') === 'function' &&
    typeof Reflect.get(client, 'fetchWithTimeout') === 'function' &&
    partsOf(client, client).length > 0,
  observe(client, context) {
    const transport = context.fetch ?? (client as { readonly fetch: Fetch }).fetch;
    if (isObservedAlready(transport, context)) return client;
    const fetch = context.recording(transport);
    const copy = sameClassCopy(client, Object.getOwnPropertyDescriptors({ fetch }));
    return copy && rebound(copy, client, copy);
  },
};

/** Replaces the parts of `owner`, and theirs, by copies that belong to another client; `undefined` where one cannot be copied. */
function rebound<Owner extends object>(owner: Owner, from: object, to: object): Owner | undefined {
  for (const [name, part] of partsOf(owner, from)) {
    const copy = sameClassCopy(part, Object.getOwnPropertyDescriptors({ _client: to }));
    if (copy === undefined || rebound(copy, from, to) === undefined) return undefined;
    Reflect.set(owner, name, copy);
  }
  return owner;
}

function partsOf(owner: object, client: object): readonly (readonly [string, Part])[] {
  return Object.entries(owner).filter(
    (field): field is [string, Part] => (field[1] as Partial<Part> | null | undefined)?._client === client,
  );
}
