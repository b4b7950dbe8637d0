/**
 * Providers of the AI SDK: functions with methods (`openai`, `anthropic` …), custom providers and registries.
 *
 * Which methods make language models differs between providers and grows, so what a method returns decides: a language
 * model is observed, all else (embeddings, images, tools, files) passes as it is. Methods run on the provider itself and
 * not on the copy, as they may read private members.
 */
import { guard } from '../../guard.ts';
import { isLanguageModel, observedModel } from './ai-sdk-model.ts';
import type { ClientHook, HookContext } from './client-hook.ts';

type Method = (...methodArguments: unknown[]) => unknown;

export const aiSdkProviderHook: ClientHook = {
  takes: 'providers of the AI SDK',
  recognises: (client) => isMethod(Reflect.get(client, 'languageModel')),
  observe(provider, context) {
    const copy: object = isMethod(provider)
      ? Object.setPrototypeOf(callable(provider, context), Object.getPrototypeOf(provider))
      : Object.create(Object.getPrototypeOf(provider));
    return Object.defineProperties(copy, observedMembers(provider, context));
  },
};

function callable(provider: Method, context: HookContext): Method {
  return (...modelArguments) => observedIfModel(provider(...modelArguments), context);
}

/** What functions have of their own and cannot give away, and what only makes a class of an object. */
const FIXED_MEMBERS: ReadonlySet<string | symbol> = new Set([
  'prototype',
  'arguments',
  'caller',
  'constructor',
]);

function observedMembers(provider: object, context: HookContext): PropertyDescriptorMap {
  const members: PropertyDescriptorMap = {};
  for (let holder = provider; !isRoot(holder); holder = Object.getPrototypeOf(holder)) {
    for (const name of Reflect.ownKeys(holder)) {
      if (FIXED_MEMBERS.has(name) || Object.hasOwn(members, name)) continue;
      const descriptor = Object.getOwnPropertyDescriptor(holder, name);
      if (descriptor !== undefined) members[name] = observedMember(descriptor, name, provider, context);
    }
  }
  return members;
}

function isRoot(holder: object | null): boolean {
  return holder === null || holder === Object.prototype || holder === Function.prototype;
}

function observedMember(
  descriptor: PropertyDescriptor,
  name: string | symbol,
  provider: object,
  context: HookContext,
): PropertyDescriptor {
  const { value, enumerable } = descriptor;
  if (isMethod(value)) return { ...descriptor, value: observing(value, provider, context) };
  if (descriptor.get === undefined) return descriptor;
  return { get: () => Reflect.get(provider, name), enumerable: enumerable === true, configurable: true };
}

/** A function may have members of its own (`experimental_realtime.getToken`): a proxy keeps them, and has no other task. */
function observing(method: Method, provider: object, context: HookContext): Method {
  return new Proxy(method, {
    apply: (target, _self, methodArguments) =>
      observedIfModel(Reflect.apply(target, provider, methodArguments), context),
  });
}

function observedIfModel(made: unknown, context: HookContext): unknown {
  if (!isLanguageModel(made)) return made;
  return guard('a model could not be copied and is not observed', () => observedModel(made, context)) ?? made;
}

function isMethod(value: unknown): value is Method {
  return typeof value === 'function';
}
