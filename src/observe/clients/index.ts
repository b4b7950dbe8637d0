/** The hooks, the first that recognises a client takes it. */
import { aiSdkModelHook } from './ai-sdk-model.ts';
import { aiSdkProviderHook } from './ai-sdk-provider.ts';
import { bedrockRuntimeHook } from './bedrock-runtime.ts';
import { beforeWithOptionsHook } from './before-with-options.ts';
import type { ClientHook } from './client-hook.ts';
import { googleGenAIHook } from './google-genai.ts';
import { langChainHook } from './langchain.ts';
import { mistralHook } from './mistral.ts';
import { ollamaHook } from './ollama.ts';
import { withOptionsHook } from './with-options.ts';

export const CLIENT_HOOKS: readonly ClientHook[] = [
  withOptionsHook,
  beforeWithOptionsHook,
  googleGenAIHook,
  mistralHook,
  ollamaHook,
  bedrockRuntimeHook,
  aiSdkModelHook,
  aiSdkProviderHook,
  langChainHook,
];
