/**
 * Language models of the AI SDK (`ai` 5, 6 and 7: specification v2, v3 and v4).
 *
 * The models of the official providers keep the `fetch` of their provider's settings in `config` and look it up at every
 * call: a copy with a recording one sees real bytes, attempts and aborts. A model without it (made by `wrapLanguageModel`,
 * by hand) is observed by its results.
 */
import { report } from '../../guard.ts';
import type { Fetch } from '../fetch-request.ts';
import { observedByResults } from './ai-sdk-results.ts';
import type { ClientHook, HookContext } from './client-hook.ts';
import { isObservedAlready } from './observed-already.ts';
import { sameClassCopy } from './same-class-copy.ts';

/** What all versions of the specification have in common. */
export interface LanguageModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: unknown): PromiseLike<unknown>;
  doStream(options: unknown): PromiseLike<unknown>;
}

export const aiSdkModelHook: ClientHook = {
  takes: 'language models of the AI SDK',
  recognises: isLanguageModel,
  observe: (model, context) => observedModel(model as LanguageModel, context),
};

export function isLanguageModel(value: unknown): value is LanguageModel {
  if (typeof value !== 'object' || value === null) return false;
  const { specificationVersion, modelId, doGenerate, doStream } = value as Partial<LanguageModel>;
  return (
    typeof specificationVersion === 'string' &&
    typeof modelId === 'string' &&
    typeof doGenerate === 'function' &&
    typeof doStream === 'function'
  );
}

export function observedModel(model: LanguageModel, context: HookContext): LanguageModel {
  if (model.provider === 'gateway') {
    report('the AI SDK gateway takes prompts in a form of its own and is not observed', undefined);
    return model;
  }
  return observedByTransport(model, context) ?? observedByResults(model, context);
}

/** The SDK takes the global `fetch` of the moment of the call, so that it can be replaced at any time. */
const globalFetch: Fetch = (...fetchArguments) => globalThis.fetch(...fetchArguments);

function observedByTransport(model: LanguageModel, context: HookContext): LanguageModel | undefined {
  if (!hasMethodsOfItsClass(model)) return undefined;
  const config: unknown = Reflect.get(model, 'config');
  if (!hasTransport(config)) return undefined;
  const transport = context.fetch ?? config.fetch ?? globalFetch;
  if (isObservedAlready(transport, context)) return model;
  return sameClassCopy(model, replaced('config', withFetch(config, context.recording(transport))));
}

/** Methods made per object, and those of the SDK's own proxies between versions, have another `this` than a copy. */
function hasMethodsOfItsClass(model: LanguageModel): boolean {
  const prototype = Object.getPrototypeOf(model) as Partial<LanguageModel> | null;
  return prototype?.doGenerate === model.doGenerate && prototype.doStream === model.doStream;
}

function hasTransport(config: unknown): config is { readonly fetch: Fetch | undefined } {
  if (typeof config !== 'object' || config === null || !Object.hasOwn(config, 'fetch')) return false;
  const { fetch } = config as { readonly fetch: unknown };
  return (
    Object.getPrototypeOf(config) === Object.prototype && (fetch === undefined || typeof fetch === 'function')
  );
}

/** The models of one provider share one config. By descriptors, so that getters stay what they are. */
function withFetch(config: object, fetch: Fetch): object {
  return Object.create(Object.prototype, {
    ...Object.getOwnPropertyDescriptors(config),
    ...replaced('fetch', fetch),
  });
}

function replaced(name: string, value: unknown): PropertyDescriptorMap {
  return { [name]: { value, writable: true, enumerable: true, configurable: true } };
}
