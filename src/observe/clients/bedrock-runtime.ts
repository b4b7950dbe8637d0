/**
 * Clients of `@aws-sdk/client-bedrock-runtime`: a copy with a middleware of ours in its stack, the way that AWS documents
 * (https://docs.aws.amazon.com/sdk-for-javascript/v3/developer-guide/middleware-stack.html).
 *
 * It is the innermost of all: it sees the signed request, once an attempt, and the response before anybody reads it. The
 * copy shares configuration and connections with the original, as `destroy()` is meant to close them.
 */
import type { Scope } from '../../exchange.ts';
import { report } from '../../guard.ts';
import { mergeScopes } from '../scope.ts';
import { type AwsMiddleware, recordingMiddleware } from './bedrock-middleware.ts';
import type { ClientHook } from './client-hook.ts';
import { sameClassCopy } from './same-class-copy.ts';

interface AwsClient {
  readonly middlewareStack: MiddlewareStack;
}

interface MiddlewareStack {
  clone(): MiddlewareStack;
  add(middleware: AwsMiddleware, options: MiddlewareOptions): void;
}

interface MiddlewareOptions {
  readonly name: string;
  readonly step: 'deserialize';
  readonly priority: 'low';
  readonly override: boolean;
}

/** The last place before the request handler, behind the user's own middleware as well. */
const INNERMOST: MiddlewareOptions = {
  name: 'prefixtraceMiddleware',
  step: 'deserialize',
  priority: 'low',
  // A copy of a copy records once.
  override: true,
};

/** Scopes of observed clients. Shared by all copies of this module in a process, as that of `recording-fetch.ts`. */
const SCOPES_KEY = Symbol.for('prefixtrace.bedrock-runtime.scopes');
const shared = globalThis as { [SCOPES_KEY]?: WeakMap<object, Scope> };
shared[SCOPES_KEY] ??= new WeakMap();
const scopes = shared[SCOPES_KEY];

export const bedrockRuntimeHook: ClientHook = {
  takes: 'clients of @aws-sdk/client-bedrock-runtime',
  recognises(client) {
    const { send, middlewareStack, config } = client as Record<string, unknown>;
    // All AWS clients look alike but for this.
    const serviceId = (config as { readonly serviceId?: unknown } | null | undefined)?.serviceId;
    return (
      typeof send === 'function' &&
      typeof (middlewareStack as Partial<MiddlewareStack> | null | undefined)?.clone === 'function' &&
      serviceId === 'Bedrock Runtime'
    );
  },
  observe(client, { scope, fetch, currentRecorder }) {
    if (fetch !== undefined)
      report(
        'the fetch option does not apply to AWS clients, which send by their own requestHandler',
        undefined,
      );
    const below = scopes.get(client);
    if (below !== undefined && Object.keys(scope).length === 0) return client;
    const merged = mergeScopes(below ?? {}, scope);
    const middlewareStack = (client as AwsClient).middlewareStack.clone();
    middlewareStack.add(recordingMiddleware(merged, currentRecorder), INNERMOST);
    // What the original resolved of its stack is kept in `handlers`, and would pass ours by.
    const changes = Object.getOwnPropertyDescriptors({ middlewareStack, handlers: undefined });
    const copy = sameClassCopy(client, changes);
    if (copy !== undefined) scopes.set(copy, merged);
    return copy;
  },
};
