/** Tells by its shape which API a body was written for. Apart from the readers, as hooks ask it and read nothing. */
import type { Api, JsonObject } from '../exchange.ts';
import { isObject } from './leaves.ts';

/** Which API a body was written for, where the log does not say. */
export function guessApi(body: unknown): Api | undefined {
  if (!isObject(body)) return undefined;
  if (Array.isArray(body.contents)) return 'google.generateContent';
  if (body.input !== undefined || body.previous_response_id !== undefined) return 'openai.responses';
  if (!Array.isArray(body.messages)) return undefined;
  if (body.toolConfig !== undefined || body.inferenceConfig !== undefined || hasBedrockBlocks(body))
    return 'bedrock.converse';
  if (body.system !== undefined || body.anthropic_version !== undefined || hasAnthropicShape(body))
    return 'anthropic.messages';
  return 'openai.chat';
}

function hasBedrockBlocks(body: JsonObject): boolean {
  return contentBlocks(body).some(
    (block) =>
      block.type === undefined &&
      ['text', 'toolUse', 'toolResult', 'cachePoint', 'image'].some((name) => name in block),
  );
}

function hasAnthropicShape(body: JsonObject): boolean {
  if (
    Array.isArray(body.tools) &&
    body.tools.some((tool) => isObject(tool) && tool.input_schema !== undefined)
  )
    return true;
  if (contentBlocks(body).some((block) => /^(tool_use|tool_result|thinking)$/.test(String(block.type))))
    return true;
  return typeof body.model === 'string' && body.model.startsWith('claude') && body.max_tokens !== undefined;
}

function contentBlocks(body: JsonObject): JsonObject[] {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  return messages.flatMap((message) =>
    isObject(message) && Array.isArray(message.content) ? message.content.filter(isObject) : [],
  );
}
