/** OpenAI's error JSON, the same for both of its APIs. https://developers.openai.com/api/docs/guides/error-codes */
import type { ProviderError } from './provider-error.ts';
import type { JsonObject } from './types.ts';

export function openAiErrorBody({ status, message, param, code }: ProviderError): JsonObject {
  const isRateLimit = status === 429;
  const type = isRateLimit ? 'requests' : status >= 500 ? 'server_error' : 'invalid_request_error';
  const defaultCode = isRateLimit ? 'rate_limit_exceeded' : null;
  return { error: { message, type, param: param ?? null, code: code ?? defaultCode } };
}
