/** The requests that the Messages API rejects with 400 for reasons of form or of cache marks. */
import { blocksOf, isCacheable, markOf } from './anthropic-prompt.ts';
import { ProviderError } from './provider-error.ts';
import { ANTHROPIC } from './rules.ts';
import { isObject, objectsOf, stringOf } from './segments.ts';
import type { JsonObject } from './types.ts';

interface MarkedBlock {
  readonly path: string;
  readonly block: JsonObject;
}

export function rejectBadAnthropicRequest(body: JsonObject): void {
  if (typeof body.model !== 'string') throw new ProviderError(400, 'model: Field required');
  if (typeof body.max_tokens !== 'number') throw new ProviderError(400, 'max_tokens: Field required');
  const messages = objectsOf(body.messages);
  if (messages.length === 0) throw new ProviderError(400, 'messages: at least one message is required');

  const system = blocksOf(body.system).map((block, index) => ({ path: `system.${index}`, block }));
  const content = messages.flatMap((message, index) =>
    blocksOf(message.content).map((block, part) => ({ path: `messages.${index}.content.${part}`, block })),
  );
  const tools = objectsOf(body.tools).map((block, index) => ({ path: `tools.${index}`, block }));
  const blocks = [...tools, ...system, ...content];
  for (const { path, block } of [...system, ...content]) {
    if (block.type !== 'text' || stringOf(block.text) !== '') continue;
    const fault = isObject(block.cache_control)
      ? 'cache_control cannot be set for empty text blocks'
      : 'text content blocks must be non-empty';
    throw new ProviderError(400, `${path}.text: ${fault}`);
  }
  rejectBadMarks(blocks, body);
  rejectBadPrewarm(body);
}

function rejectBadMarks(blocks: readonly MarkedBlock[], body: JsonObject): void {
  const marked = blocks.filter(({ block }) => markOf(block) !== undefined);
  const automatic = isObject(body.cache_control) ? body.cache_control : undefined;
  const automaticTtl = automatic && ttlOf(automatic, 'cache_control');

  let shortTtlSeen = false;
  for (const { path, block } of marked) {
    if (!isCacheable(block))
      throw new ProviderError(400, `${path}.cache_control: Extra inputs are not permitted`);
    const ttl = ttlOf(markOf(block) ?? {}, `${path}.cache_control`);
    if (ttl === '1h' && shortTtlSeen) {
      throw new ProviderError(
        400,
        `${path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block`,
      );
    }
    shortTtlSeen ||= ttl === '5m';
  }

  const last = blocks.at(-1)?.block;
  const lastMark = last && markOf(last);
  if (automaticTtl !== undefined && lastMark && ttlOf(lastMark, 'cache_control') !== automaticTtl) {
    throw new ProviderError(
      400,
      'cache_control: the last block already has cache_control with a different ttl',
    );
  }
  if (automaticTtl === '1h' && shortTtlSeen) {
    throw new ProviderError(400, "cache_control.ttl: a ttl='1h' block must not come after a ttl='5m' block");
  }
  const count = marked.length + (automatic ? 1 : 0);
  // Automatic caching takes one of the four, also where the last block is marked already.
  if (count > ANTHROPIC.maxBreakpoints) {
    throw new ProviderError(400, `A maximum of 4 blocks with cache_control may be provided. Found ${count}.`);
  }
}

function ttlOf(mark: JsonObject, path: string): string {
  const ttl = mark.ttl ?? '5m';
  if (typeof ttl === 'string' && ANTHROPIC.ttlMs[ttl] !== undefined) return ttl;
  throw new ProviderError(400, `${path}.ttl: Input should be '5m' or '1h'`);
}

/** `max_tokens: 0` fills the cache without an answer. */
function rejectBadPrewarm(body: JsonObject): void {
  if (body.max_tokens !== 0) return;
  const { thinking, tool_choice: toolChoice, output_config: outputConfig } = body;
  const isThinking = isObject(thinking) && thinking.type !== 'disabled';
  const isForced = isObject(toolChoice) && (toolChoice.type === 'any' || toolChoice.type === 'tool');
  const hasFormat = isObject(outputConfig) && isObject(outputConfig.format);
  if (body.stream === true || isThinking || isForced || hasFormat) {
    throw new ProviderError(
      400,
      'max_tokens: 0 cannot be combined with stream, thinking, forced tool_choice or output_config.format',
    );
  }
}
