/**
 * Chat models of LangChain. A model keeps the client of its provider's SDK, and most make it at their first call: the copy
 * observes what is put into that place, with the hook of the SDK. Its settings stay as they are, which LangChain makes
 * part of cache keys and of what it traces.
 */
import { guard, report } from '../../guard.ts';
import type { ClientHook, HookContext } from './client-hook.ts';
import { sameClassCopy } from './same-class-copy.ts';

/** Where models keep clients. */
const CLIENT_MEMBERS = ['client', 'batchClient', 'streamingClient'] as const;
/** `ChatOpenAI` leaves the work to one of two models, one an API. */
const MODEL_MEMBERS = ['completions', 'responses'] as const;

export const langChainHook: ClientHook = {
  takes: 'chat models of LangChain (observe the model first, then chain it)',
  recognises: (client) => isChatModel(client) || isBinding(client),
  observe: (client, context) =>
    isBinding(client) ? observedBinding(client, context) : observedModel(client, context),
};

function isChatModel(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const { lc_namespace: namespace, invoke, _llmType } = value as Record<string, unknown>;
  return (
    Array.isArray(namespace) &&
    namespace.includes('chat_models') &&
    typeof invoke === 'function' &&
    typeof _llmType === 'function'
  );
}

interface Binding {
  readonly bound: object;
}

/** What `bindTools()` and `withConfig()` make of a model. */
function isBinding(value: object): value is Binding {
  const { lc_namespace: namespace, bound } = value as Record<string, unknown>;
  return (
    Array.isArray(namespace) &&
    (isChatModel(bound) || (typeof bound === 'object' && bound !== null && isBinding(bound)))
  );
}

function observedBinding(binding: Binding, context: HookContext): object | undefined {
  const bound = langChainHook.observe(binding.bound, context);
  return bound && sameClassCopy(binding, properties({ bound }));
}

type ObserveClient = (client: object) => object | undefined;

/** Of copies: a copy of a copy goes on from what the first one does, its scope above all. */
const observersOfCopies = new WeakMap<object, ObserveClient>();

function observedModel(model: object, context: HookContext): object | undefined {
  const below = observersOfCopies.get(model);
  const observe: ObserveClient = (client) => context.observeInner(below?.(client) ?? client);
  const clients = observedClients(model, observe);
  const models = observedModels(model, context);
  if (clients === undefined || Object.keys({ ...clients, ...models }).length === 0) return undefined;
  const copy = sameClassCopy(model, {
    ...clients,
    ...properties(models),
    ...(Object.keys(models).length > 0 && properties({ fields: settingsWith(models, model) })),
  });
  if (copy !== undefined) observersOfCopies.set(copy, observe);
  return copy;
}

/** `undefined` where there is a client already and no hook takes it. */
function observedClients(model: object, observe: ObserveClient): PropertyDescriptorMap | undefined {
  const members: PropertyDescriptorMap = {};
  for (const name of CLIENT_MEMBERS) {
    if (!Object.hasOwn(model, name)) continue;
    const kept: unknown = Reflect.get(model, name);
    const observed = isObject(kept) ? observe(kept) : undefined;
    if (isObject(kept) && observed === undefined) return undefined;
    members[name] = clientMember(observed ?? kept, observe);
  }
  return members;
}

function clientMember(first: unknown, observe: ObserveClient): PropertyDescriptor {
  let kept = first;
  return {
    get: () => kept,
    // In the middle of the host's call: whatever happens, there is a client.
    set(client: unknown) {
      kept = client;
      if (!isObject(client)) return;
      const observed = guard('a client inside a model could not be copied', () => observe(client));
      if (observed === undefined)
        report('the client inside a model is of no known kind and is not observed', undefined);
      else kept = observed;
    },
    enumerable: true,
    configurable: true,
  };
}

function observedModels(model: object, context: HookContext): Readonly<Record<string, object>> {
  const models: Record<string, object> = {};
  for (const name of MODEL_MEMBERS) {
    const inner: unknown = Reflect.get(model, name);
    const observed = isChatModel(inner) ? observedModel(inner, context) : undefined;
    if (observed !== undefined) models[name] = observed;
  }
  return models;
}

/** `ChatOpenAI.withConfig()`, and so `bindTools()`, makes a new model of the settings, which may name its two models. */
function settingsWith(models: object, model: object): object {
  const fields: unknown = Reflect.get(model, 'fields');
  return { ...(isObject(fields) && fields), ...models };
}

function properties(values: Readonly<Record<string, unknown>>): PropertyDescriptorMap {
  return Object.getOwnPropertyDescriptors(values);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
