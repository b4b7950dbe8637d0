/**
 * LangChain's chat models, pointed at a server on loopback.
 */
import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { ChatAnthropic } from '@langchain/anthropic';
import { ChatBedrockConverse } from '@langchain/aws';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AzureChatOpenAI, ChatOpenAI } from '@langchain/openai';
import type { Api } from '../../src/exchange.ts';

export interface LangChainTarget {
  readonly name: string;
  readonly api: Api;
  newModel(baseUrl: string, settings?: object): BaseChatModel;
}

const KEY = { apiKey: 'secret-key' };

export const LANGCHAIN_TARGETS: readonly LangChainTarget[] = [
  {
    name: 'ChatOpenAI, chat completions',
    api: 'openai.chat',
    newModel: (baseUrl, settings) =>
      new ChatOpenAI({ ...KEY, model: 'gpt-4.1', configuration: { baseURL: `${baseUrl}/v1` }, ...settings }),
  },
  {
    name: 'ChatOpenAI, responses',
    api: 'openai.responses',
    newModel: (baseUrl, settings) =>
      new ChatOpenAI({
        ...KEY,
        model: 'gpt-5.5',
        useResponsesApi: true,
        configuration: { baseURL: `${baseUrl}/v1` },
        ...settings,
      }),
  },
  {
    name: 'AzureChatOpenAI',
    api: 'openai.chat',
    newModel: (baseUrl, settings) =>
      new AzureChatOpenAI({
        azureOpenAIApiKey: KEY.apiKey,
        azureOpenAIEndpoint: 'https://house.openai.azure.com',
        // Azure's paths, which no server here has.
        configuration: { fetch: (_url, init) => fetch(`${baseUrl}/v1/chat/completions`, init) },
        azureOpenAIApiDeploymentName: 'gpt-4.1',
        azureOpenAIApiVersion: '2026-01-01',
        model: 'gpt-4.1',
        ...settings,
      }),
  },
  {
    name: 'ChatAnthropic',
    api: 'anthropic.messages',
    newModel: (baseUrl, settings) =>
      new ChatAnthropic({
        ...KEY,
        model: 'claude-opus-5',
        maxTokens: 64,
        anthropicApiUrl: baseUrl,
        ...settings,
      }),
  },
  {
    name: 'ChatBedrockConverse',
    api: 'bedrock.converse',
    newModel: (baseUrl, settings) =>
      new ChatBedrockConverse({
        model: 'anthropic.claude-opus-5-v1:0',
        region: 'eu-central-2',
        client: new BedrockRuntimeClient({
          endpoint: baseUrl,
          region: 'eu-central-2',
          credentials: { accessKeyId: 'a', secretAccessKey: 'secret-key' },
          maxAttempts: 2,
        }),
        ...settings,
      }),
  },
];
