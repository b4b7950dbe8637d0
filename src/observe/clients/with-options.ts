/**
 * Clients that copy themselves with `withOptions({ fetch })`: @anthropic-ai/sdk from 0.50 on with its Bedrock, Vertex and
 * Foundry clients, openai from 5 on with Azure, groq-sdk and others of the same generator.
 *
 * Not Anthropic's `middleware`, which exists as well: other middleware may stand behind ours and change the request once
 * more, and `fetch` sees the bytes that leave.
 */
import type { Fetch } from '../fetch-request.ts';
import type { ClientHook } from './client-hook.ts';
import { isObservedAlready } from './observed-already.ts';

interface CloneableClient {
  withOptions(options: { fetch: Fetch }): unknown;
}

export const withOptionsHook: ClientHook = {
  takes: 'clients with withOptions(), such as those of @anthropic-ai/sdk and openai',
  recognises: (client) =>
    typeof Reflect.get(client, 'withOptions') === 'function' && fetchOf(client) !== undefined,
  observe(client, context) {
    const transport = context.fetch ?? fetchOf(client);
    if (transport === undefined) return undefined;
    if (isObservedAlready(transport, context)) return client;
    const recording = context.recording(transport);
    const copy = (client as CloneableClient).withOptions({ fetch: recording });
    if (typeof copy !== 'object' || copy === null) return undefined;
    const copyFetch = fetchOf(copy);
    return copyFetch === undefined || copyFetch === recording ? copy : undefined;
  },
};

/** The `fetch` field is private by type and there at run time in all versions. */
function fetchOf(client: object): Fetch | undefined {
  const fetch: unknown = Reflect.get(client, 'fetch');
  return typeof fetch === 'function' ? (fetch as Fetch) : undefined;
}
