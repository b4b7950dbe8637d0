/**
 * What a result of an AI SDK model states of the response: id, model, usage, error. Never content.
 *
 * The usage of the API itself is looked for first: the response body, `usage.raw` (version 6 and later, only members that
 * the adapter knows), the provider's metadata. Version 5 has sums alone where OpenAI streams.
 */
import type { Api, Ending, ExchangeResponse } from '../../exchange.ts';
import { readUsage } from '../../prompt/usage.ts';
import { absorbFacts, errorOf, isRecord, type ResponseFacts } from '../../response/response-facts.ts';
import type { StreamEnd } from '../follow-reads.ts';
import { transportError } from '../response-observer.ts';
import { retryAfterMs } from '../retry-after.ts';

export function resultFacts(api: Api, result: object): ResponseFacts {
  const { response, usage, providerMetadata } = result as {
    readonly response?: { readonly body?: unknown };
    readonly usage?: unknown;
    readonly providerMetadata?: unknown;
  };
  const facts: ResponseFacts = {};
  absorbFacts(facts, response?.body);
  absorbFacts(facts, metadataOf(response));
  absorbFacts(facts, { usage: usageOf(api, usage, providerMetadata, facts.usage) });
  return facts;
}

/** Reads the parts of a stream as they pass. */
export class PartReading {
  readonly facts: ResponseFacts = {};
  isFinished = false;
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  read(part: unknown): void {
    if (!isRecord(part)) return;
    if (part.type === 'response-metadata') absorbFacts(this.facts, metadataOf(part));
    if (part.type === 'error') this.facts.error = failureFacts(part.error).error ?? {};
    if (part.type === 'finish') {
      this.isFinished = true;
      absorbFacts(this.facts, { usage: usageOf(this.#api, part.usage, part.providerMetadata, undefined) });
    }
  }

  endingOf(end: StreamEnd, isAborted: boolean): Ending {
    const { facts } = this;
    if (facts.error !== undefined) return 'failed';
    if (this.isFinished) return 'completed';
    if (end.reason === 'canceled' || isAborted) return 'canceled';
    facts.error =
      end.reason === 'failed'
        ? transportError(end.error)
        : { type: 'stream_truncated', message: 'The stream ended before its last part.' };
    return 'failed';
  }
}

/** An `APICallError` carries the answer of the API; any other error is one of the transport. */
export function failureFacts(error: unknown): Pick<ExchangeResponse, 'status' | 'error' | 'retryAfterMs'> {
  if (!isRecord(error)) return { error: errorOf(error) };
  const { statusCode, data, responseHeaders } = error;
  const headers = isRecord(responseHeaders) ? responseHeaders : {};
  const stated = isRecord(data) ? data.error : undefined;
  return {
    ...(typeof statusCode === 'number' && { status: statusCode }),
    retryAfterMs: retryAfterMs((name) => headers[name] as string | undefined),
    error: error instanceof Error && stated === undefined ? transportError(error) : errorOf(stated ?? error),
  };
}

function metadataOf(response: unknown): Record<string, unknown> {
  const { id, modelId } = isRecord(response) ? response : {};
  return { id, model: modelId };
}

function usageOf(api: Api, usage: unknown, providerMetadata: unknown, ofBody: unknown): unknown {
  if (ofBody !== undefined) return ofBody;
  if (isRecord(usage) && isRecord(usage.raw)) return usage.raw;
  for (const metadata of Object.values(isRecord(providerMetadata) ? providerMetadata : {})) {
    const stated = isRecord(metadata) ? (metadata.usage ?? metadata.usageMetadata) : undefined;
    // Some adapters put figures of their own under this name.
    if (readUsage(api, stated) !== null) return stated;
  }
  return api.startsWith('openai') ? openAIUsage(usage) : undefined;
}

/** The sums of version 5 in the form that they were computed from. */
function openAIUsage(usage: unknown): unknown {
  if (!isRecord(usage) || typeof usage.inputTokens !== 'number') return undefined;
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedInputTokens },
  };
}
