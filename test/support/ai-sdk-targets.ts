/**
 * Three versions of the AI SDK with the official providers of each, under one set of types: those of version 7.
 */

import * as anthropic7 from '@ai-sdk/anthropic';
import * as google7 from '@ai-sdk/google';
import * as openai7 from '@ai-sdk/openai';
import * as ai7 from 'ai';
import * as anthropic5 from 'ai-sdk-anthropic-v2';
import * as anthropic6 from 'ai-sdk-anthropic-v3';
import * as openai5 from 'ai-sdk-openai-v2';
import * as openai6 from 'ai-sdk-openai-v3';
import * as ai5 from 'ai-v5';
import * as ai6 from 'ai-v6';

type AiSdk = Pick<
  typeof ai7,
  | 'generateText'
  | 'streamText'
  | 'tool'
  | 'jsonSchema'
  | 'stepCountIs'
  | 'wrapLanguageModel'
  | 'customProvider'
  | 'createProviderRegistry'
>;
export type Model = Exclude<ai7.LanguageModel, string>;
export type Fetch = typeof globalThis.fetch;

export interface AiSdkTarget {
  readonly name: string;
  readonly version: 5 | 6 | 7;
  readonly sdk: AiSdk;
  readonly api: 'anthropic.messages' | 'openai.chat' | 'openai.responses' | 'google.generateContent';
  /** The provider, and a model of it. */
  newProvider(baseUrl: string, fetch?: Fetch): object;
  model(provider: object): Model;
}

const VERSIONS = [
  { version: 7, sdk: ai7, anthropic: anthropic7, openai: openai7 },
  // The functions used here have kept their form; the types of the versions do not know each other.
  {
    version: 6,
    sdk: ai6 as unknown as AiSdk,
    anthropic: anthropic6 as unknown as typeof anthropic7,
    openai: openai6 as unknown as typeof openai7,
  },
  {
    version: 5,
    sdk: ai5 as unknown as AiSdk,
    anthropic: anthropic5 as unknown as typeof anthropic7,
    openai: openai5 as unknown as typeof openai7,
  },
] as const;

const KEY = { apiKey: 'test-key' };

export const AI_SDK_TARGETS: readonly AiSdkTarget[] = VERSIONS.flatMap(
  ({ version, sdk, anthropic, openai }): AiSdkTarget[] => {
    const newOpenAI = (baseUrl: string, fetch?: Fetch) =>
      openai.createOpenAI({ ...KEY, baseURL: `${baseUrl}/v1`, ...(fetch && { fetch }) });
    return [
      {
        name: `anthropic, AI SDK ${version}`,
        version,
        sdk,
        api: 'anthropic.messages',
        newProvider: (baseUrl, fetch) =>
          anthropic.createAnthropic({ ...KEY, baseURL: `${baseUrl}/v1`, ...(fetch && { fetch }) }),
        model: (provider) => (provider as anthropic7.AnthropicProvider)('claude-opus-5'),
      },
      {
        name: `openai responses, AI SDK ${version}`,
        version,
        sdk,
        api: 'openai.responses',
        newProvider: newOpenAI,
        model: (provider) => (provider as openai7.OpenAIProvider)('gpt-5.5'),
      },
      {
        name: `openai chat, AI SDK ${version}`,
        version,
        sdk,
        api: 'openai.chat',
        newProvider: newOpenAI,
        model: (provider) => (provider as openai7.OpenAIProvider).chat('gpt-5.5'),
      },
    ];
  },
);

export const GOOGLE_TARGET: AiSdkTarget = {
  name: 'google, AI SDK 7',
  version: 7,
  sdk: ai7,
  api: 'google.generateContent',
  newProvider: (baseUrl, fetch) =>
    google7.createGoogle({ ...KEY, baseURL: `${baseUrl}/v1beta`, ...(fetch && { fetch }) }),
  model: (provider) => (provider as google7.GoogleProvider)('gemini-3.5-flash'),
};
