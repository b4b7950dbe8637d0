/** The providers that the model server plays, with the places where their users put cache marks. */
import type { Api, JsonObject } from '../../../src/exchange.ts';
import type { Event } from './agent-script.ts';
import type { Conversation } from './conversation.ts';
import { render } from './render.ts';

export const MARK = { type: 'ephemeral' };

export interface Provider {
  readonly api: Api;
  readonly model: string;
  /** Longer than any entry lives. */
  readonly lapseMs: number;
  /** Puts cache marks into a body, where the provider wants them. */
  readonly mark?: (body: JsonObject) => JsonObject;
  readonly fields?: JsonObject;
  readonly events: readonly Event[];
}

const CHANGES: readonly Event[] = [
  'tool description',
  'tools reordered',
  'tool added',
  'system text',
  'history',
];
/** A cache of boundaries still holds the head of before a change when the head changes back. */
const HEAD_EVENTS: readonly Event[] = [...CHANGES, 'back again'];
export const MINUTE_MS = 60_000;

export function withMarkAtEnd(list: unknown): JsonObject[] {
  const blocks = list as JsonObject[];
  return blocks.map((block, index) =>
    index === blocks.length - 1 ? { ...block, cache_control: MARK } : block,
  );
}

export function markLast(body: JsonObject): JsonObject {
  const messages = body.messages as JsonObject[];
  return {
    ...body,
    messages: messages.map((message, index) =>
      index === messages.length - 1 ? { ...message, content: withMarkAtEnd(message.content) } : message,
    ),
  };
}

export function markSystem(body: JsonObject): JsonObject {
  return { ...body, system: withMarkAtEnd(body.system) };
}

function markTools(body: JsonObject): JsonObject {
  return { ...body, tools: withMarkAtEnd(body.tools) };
}

export const ANTHROPIC = {
  api: 'anthropic.messages',
  model: 'claude-sonnet-4-6',
  lapseMs: 6 * MINUTE_MS,
} as const;
const OPENAI = { api: 'openai.chat', lapseMs: 25 * 60 * MINUTE_MS } as const;

export const PROVIDERS: Readonly<Record<string, Provider>> = {
  'Anthropic, last block marked': {
    ...ANTHROPIC,
    mark: markLast,
    events: [...HEAD_EVENTS, 'lapse', 'many blocks'],
  },
  'Anthropic, system and last block marked': {
    ...ANTHROPIC,
    mark: (body) => markLast(markSystem(body)),
    events: [...HEAD_EVENTS, 'lapse', 'many blocks'],
  },
  'Anthropic, tools, system and last block marked': {
    ...ANTHROPIC,
    mark: (body) => markLast(markSystem(markTools(body))),
    events: [...HEAD_EVENTS, 'lapse', 'many blocks'],
  },
  'Anthropic, automatic caching': {
    ...ANTHROPIC,
    fields: { cache_control: MARK },
    events: [...HEAD_EVENTS, 'lapse', 'many blocks'],
  },
  'OpenAI Chat, gpt-4.1': { ...OPENAI, model: 'gpt-4.1', events: [...CHANGES, 'lapse'] },
  'OpenAI Chat, gpt-5.1': { ...OPENAI, model: 'gpt-5.1', events: [...CHANGES, 'lapse'] },
  'OpenAI Responses, gpt-5.6': {
    api: 'openai.responses',
    model: 'gpt-5.6',
    lapseMs: 31 * MINUTE_MS,
    events: [...HEAD_EVENTS, 'lapse'],
  },
};

export function bodyOf({ api, model, mark, fields }: Provider, conversation: Conversation): JsonObject {
  const { body } = render(api, conversation);
  const whole = { ...body, model, ...fields };
  return mark ? mark(whole) : whole;
}
