/**
 * Anthropic Messages, also as sent to Bedrock InvokeModel and Vertex.
 * Render order (platform.claude.com/docs/en/build-with-claude/prompt-caching, "What invalidates the cache", Sep 2026): model,
 * tools, speed / web search / citations / output format, system, thinking / effort / tool_choice, messages.
 */
import type { ExchangeRequest, JsonObject } from '../exchange.ts';
import { anthropicPart } from './anthropic-block.ts';
import { markOn, PLAIN_FACTS, type PromptBuilder, stringOrNull, ttlMsOf } from './builder.ts';
import { fixedLeaves, isObject, listOf, stringLeaf } from './leaves.ts';
import { splitRegion } from './model-id.ts';
import type { MissingHistory, Prompt } from './prompt.ts';
import type { MessageReader } from './reading.ts';

export function readAnthropicMessages(
  body: JsonObject,
  request: ExchangeRequest,
  builder: PromptBuilder,
): Prompt {
  const sentModel = stringOrNull(body.model) ?? request.model ?? null;
  const { model, region } = splitRegion(sentModel);
  builder.normalised('model', 'model', model, sentModel, 'model');
  readTools(body, builder);
  const beta = request.headers?.['anthropic-beta'];
  builder.normalised('anthropic-beta', 'headers.anthropic-beta', betaFeatures(beta), beta);
  builder.normalised('speed', 'speed', stringOrNull(body.speed) ?? 'standard', body.speed);
  const citations = citationsToggle(body);
  builder.parameter('citations', citations ?? 'messages', citations === undefined ? undefined : true);
  const outputConfig = isObject(body.output_config) ? body.output_config : {};
  builder.parameter(
    'output_config.format',
    'output_config.format',
    outputConfig.format ?? body.output_format,
  );
  readSystem(body.system, builder);
  builder.parameter('thinking', 'thinking', body.thinking);
  // An explicit value equal to the default is the same as leaving it out (effort page).
  const effort = stringOrNull(outputConfig.effort) ?? 'high';
  builder.normalised('output_config.effort', 'output_config.effort', effort, outputConfig.effort);
  builder.parameter('tool_choice', 'tool_choice', body.tool_choice);
  builder.startMessages();
  listOf(body.messages).forEach((message, index) => appendMessage(builder, message, index));
  readAutomaticMark(body, builder);
  builder.suspect('service_tier', 'service_tier', body.service_tier);
  builder.suspect('context_management', 'context_management', body.context_management);
  builder.suspect('container', 'container', body.container);
  builder.suspect('inference_geo', 'inference_geo', body.inference_geo);
  return builder.build('anthropic.messages', {
    ...PLAIN_FACTS,
    model,
    region,
    cacheMode: 'explicit',
    isThinkingOn: isObject(body.thinking) && body.thinking.type !== 'disabled',
    missingHistory: threadHistory(body),
    isServerEdited: body.context_management !== undefined && body.context_management !== null,
  });
}

function readTools(body: JsonObject, builder: PromptBuilder): void {
  const toggles: [string, JsonObject][] = [];
  listOf(body.tools).forEach((tool, index) => {
    if (!isObject(tool) || tool.defer_loading === true) return; // deferred tools are not rendered until they are found
    const path = `tools[${index}]`;
    const name = stringOrNull(tool.name) ?? stringOrNull(tool.type) ?? String(index);
    if (typeof tool.type === 'string' && /^web_(search|fetch)_/.test(tool.type)) toggles.push([path, tool]);
    else {
      const leaves = fixedLeaves(tool, ['name', 'description', 'input_schema', 'type'], {
        ignore: ['defer_loading'],
      });
      builder.add({ component: 'tools', kind: 'tool', path, name, leaves });
    }
    const mark = markOn(tool, path);
    if (mark) builder.breakpoint(mark.path, mark);
  });
  for (const server of listOf(body.mcp_servers)) {
    if (!isObject(server)) continue;
    const leaves = fixedLeaves(server, ['name', 'url', 'type'], { ignore: ['authorization_token'] });
    builder.add({
      component: 'tools',
      kind: 'tool',
      path: 'mcp_servers',
      name: stringOrNull(server.name) ?? 'mcp',
      leaves,
    });
  }
  // The switch of a server-side web tool changes the system prompt, not the tools (same page).
  for (const name of ['web_search', 'web_fetch']) {
    const toggle = toggles.find(([, tool]) => String(tool.type).startsWith(name));
    builder.parameter(name, toggle?.[0] ?? 'tools', toggle?.[1].type);
  }
}

function readSystem(system: unknown, builder: PromptBuilder): void {
  if (typeof system === 'string') {
    const leaves = [stringLeaf('type', '', 'text'), stringLeaf('text', '', system)];
    builder.add({ component: 'system', kind: 'text', path: 'system', leaves });
    return;
  }
  listOf(system).forEach((block, index) => {
    const { mark, ...part } = anthropicPart(block, `system[${index}]`);
    builder.add({ component: 'system', ...part });
    if (mark) builder.breakpoint(mark.path, mark);
  });
}

export const anthropicMessageReader: MessageReader = {
  listField: 'messages',
  append: appendMessage,
  isPlain: (message) => isObject(message) && !holdsCitations(message),
  finish(builder, before) {
    const automatic = before.breakpoints.find(({ isAutomatic }) => isAutomatic);
    if (automatic) builder.breakpoint(automatic.path, automatic);
  },
};

function appendMessage(builder: PromptBuilder, message: unknown, index: number): void {
  const path = `messages[${index}]`;
  const { role, content } = isObject(message) ? message : { role: undefined, content: undefined };
  const parts = Array.isArray(content)
    ? content.map((block, at) => anthropicPart(block, `${path}.content[${at}]`))
    : [anthropicPart(content ?? '', `${path}.content`)];
  builder.message({ component: 'messages', role: stringOrNull(role) ?? 'unknown', path, index, parts });
}

/** Top-level `cache_control`: the API marks the last block that can carry a mark. */
function readAutomaticMark(body: JsonObject, builder: PromptBuilder): void {
  const mark = isObject(body.cache_control) ? body.cache_control : undefined;
  if (!mark) return;
  builder.breakpoint('cache_control', { ttlMs: ttlMsOf(mark.ttl), isAutomatic: true });
}

function threadHistory(body: JsonObject): MissingHistory | null {
  if (!isObject(body.thread) || body.thread.type !== 'continue') return null;
  return {
    reason: 'thread',
    id: stringOrNull(body.thread.previous_message_id) ?? stringOrNull(body.previous_message_id) ?? '',
  };
}

function betaFeatures(header: string | undefined): string | null {
  if (!header) return null;
  const features = header.split(',').map((feature) => feature.trim());
  return (
    features
      .filter((feature) => feature !== '' && !NEUTRAL_BETAS.test(feature))
      .sort()
      .join(',') || null
  );
}

/** Opts in to a field of the response alone; "no longer needed and harmless" (cache diagnostics page, Sep 2026). */
const NEUTRAL_BETAS = /^cache-diagnosis-/;

/** Path of the first document that asks for citations. */
function citationsToggle(body: JsonObject): string | undefined {
  for (const [index, message] of listOf(body.messages).entries()) {
    const at = isObject(message) ? citedBlock(message) : -1;
    if (at >= 0) return `messages[${index}].content[${at}].citations`;
  }
  return undefined;
}

function holdsCitations(message: JsonObject): boolean {
  return citedBlock(message) >= 0;
}

function citedBlock(message: JsonObject): number {
  return listOf(message.content).findIndex(
    (block) => isObject(block) && isObject(block.citations) && block.citations.enabled === true,
  );
}
