/** The APIs that the server speaks, told by path. A new one is a module and a line here. */
import type { ApiModule } from './answer.ts';
import { anthropicMessages } from './anthropic.ts';
import { bedrockConverse } from './bedrock-converse.ts';
import { bedrockInvoke } from './bedrock-invoke.ts';
import { googleGenerateContent } from './google.ts';
import { googleCachedContents } from './google-cached-contents.ts';
import { ollamaChat } from './ollama-chat.ts';
import { openAiChat } from './openai-chat.ts';
import { openAiResponses } from './openai-responses.ts';
import { vertexAnthropic } from './vertex-anthropic.ts';

const MODULES: readonly ApiModule[] = [
  anthropicMessages,
  openAiChat,
  openAiResponses,
  bedrockConverse,
  bedrockInvoke,
  vertexAnthropic,
  googleGenerateContent,
  googleCachedContents,
  ollamaChat,
];

export interface Route {
  readonly module: ApiModule;
  readonly path: string;
  /** Where the path names it. */
  readonly model: string | undefined;
}

export function routeOf(path: string): Route | undefined {
  for (const module of MODULES) {
    const match = module.path.exec(path);
    if (match === null) continue;
    const model = match.groups?.model;
    return { module, path, model: model && decodeURIComponent(model) };
  }
  return undefined;
}
