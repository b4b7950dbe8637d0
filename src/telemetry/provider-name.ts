/**
 * `gen_ai.provider.name` from what the traffic shows: the host that was called, else the form that was spoken.
 *
 * Values are those of the conventions where they have one. A host that nobody knows (a gateway, a local server) gets the
 * name of its request form, as the conventions ask for best knowledge and let it differ from the actual upstream.
 */
import type { Api } from '../exchange.ts';

const BY_HOST: readonly (readonly [pattern: RegExp, provider: string])[] = [
  [/(^|\.)bedrock[\w-]*\..*amazonaws\.com$/, 'aws.bedrock'],
  [/(^|-)aiplatform\.googleapis\.com$/, 'gcp.vertex_ai'],
  [/^generativelanguage\.googleapis\.com$/, 'gcp.gemini'],
  [/\.openai\.azure\.com$/, 'azure.ai.openai'],
  [/\.services\.ai\.azure\.com$/, 'azure.ai.inference'],
  [/(^|\.)anthropic\.com$/, 'anthropic'],
  [/(^|\.)openai\.com$/, 'openai'],
  [/(^|\.)deepseek\.com$/, 'deepseek'],
  [/(^|\.)groq\.com$/, 'groq'],
  [/(^|\.)mistral\.ai$/, 'mistral_ai'],
  [/(^|\.)moonshot\.(ai|cn)$/, 'moonshot_ai'],
  [/(^|\.)x\.ai$/, 'x_ai'],
  [/(^|\.)perplexity\.ai$/, 'perplexity'],
  [/(^|\.)cohere\.(ai|com)$/, 'cohere'],
  [/(^|\.)openrouter\.ai$/, 'openrouter'],
];

const BY_API: Readonly<Record<Api, string>> = {
  'anthropic.messages': 'anthropic',
  'openai.chat': 'openai',
  'openai.responses': 'openai',
  'google.generateContent': 'gcp.gen_ai',
  'bedrock.converse': 'aws.bedrock',
};

export function providerName(api: Api, host: string | undefined): string {
  const known = host === undefined ? undefined : BY_HOST.find(([pattern]) => pattern.test(host));
  return known?.[1] ?? BY_API[api];
}
