/** What a random agent says and what befalls it, step by step: growth, and at some steps one event. */
import type { Conversation, Message, Part } from './conversation.ts';
import type { Random } from './random.ts';

export type Event =
  | 'growth'
  | 'tool description'
  | 'tools reordered'
  | 'tool added'
  | 'system text'
  | 'history'
  | 'lapse'
  | 'many blocks'
  | 'back again';

export function openingOf(
  random: Random,
  size: { readonly head: number; readonly question: number },
): Conversation {
  const part = Math.round(size.head / 7);
  return {
    tools: [0, 1, 2, 3, 4].map((index) => ({
      name: `tool_${index}`,
      description: random.text(part),
      properties: random.object(),
    })),
    system: [random.text(part), random.text(part)],
    effort: undefined,
    schema: undefined,
    messages: [question(random, size.question)],
  };
}

function question(random: Random, tokens: number): Message {
  return { role: 'user', parts: [{ kind: 'text', text: random.text(tokens) }] };
}

/** The model answers, with or without calls of tools, and the user or the tools speak again. */
export function grown(conversation: Conversation, random: Random): Conversation {
  const turn = conversation.messages.length;
  const calls = Array.from(
    { length: random.int(4) },
    (_, index): Part => ({
      kind: 'call',
      id: `call_${turn}_${index}`,
      name: 'tool_0',
      input: random.object(),
    }),
  );
  const answer: Message = {
    role: 'assistant',
    parts: [{ kind: 'text', text: random.text(random.between(20, 150)) }, ...calls],
  };
  const results = calls.map(
    (call): Part => ({
      kind: 'result',
      id: 'id' in call ? call.id : '',
      name: 'tool_0',
      text: random.text(random.between(30, 300)),
    }),
  );
  const next: Message =
    results.length > 0 ? { role: 'tool', parts: results } : question(random, random.between(20, 200));
  return { ...conversation, messages: [...conversation.messages, answer, next] };
}

/** A turn of so many text blocks that a mark at its end cannot see the entry before it. */
function withManyBlocks(conversation: Conversation, random: Random): Conversation {
  const parts = Array.from({ length: 24 }, (): Part => ({ kind: 'text', text: random.text(12) }));
  const answer: Message = { role: 'assistant', parts: [{ kind: 'text', text: random.text(30) }] };
  return { ...conversation, messages: [...conversation.messages, answer, { role: 'user', parts }] };
}

/** The conversation of the next call, given what befalls it. Time is the caller's business. */
export function next(
  conversation: Conversation,
  event: Event,
  random: Random,
  earlier: readonly Conversation[],
): Conversation {
  const longer = grown(conversation, random);
  const { tools, system, messages } = longer;
  switch (event) {
    case 'growth':
    case 'lapse':
      return longer;
    case 'many blocks':
      return withManyBlocks(conversation, random);
    case 'tool description':
      return {
        ...longer,
        tools: tools.map((tool, index) =>
          index === 1 ? { ...tool, description: `${tool.description.slice(0, -9)} ${random.text(3)}` } : tool,
        ),
      };
    case 'tools reordered':
      return { ...longer, tools: [...tools.slice(1), ...tools.slice(0, 1)] };
    case 'tool added':
      return {
        ...longer,
        tools: [
          ...tools,
          { name: `tool_${tools.length}`, description: random.text(60), properties: random.object() },
        ],
      };
    case 'system text':
      return {
        ...longer,
        system: system.map((text, index) => (index === 1 ? `${text.slice(0, -9)} ${random.text(3)}` : text)),
      };
    case 'history': {
      const at = random.int(conversation.messages.length - 1);
      return {
        ...longer,
        messages: messages.map((message, index) => (index === at ? editedMessage(message, random) : message)),
      };
    }
    case 'back again': {
      // The head as it was before the last change, over the history of now.
      const before =
        earlier.findLast((old) => old.tools !== conversation.tools || old.system !== conversation.system) ??
        conversation;
      return { ...longer, tools: before.tools, system: before.system };
    }
  }
}

function editedMessage({ role, parts }: Message, random: Random): Message {
  const [first, ...rest] = parts;
  if (first === undefined || !('text' in first)) return { role, parts };
  const middle = Math.floor(first.text.length / 2);
  return {
    role,
    parts: [
      { ...first, text: `${first.text.slice(0, middle)}${random.text(3)}${first.text.slice(middle)}` },
      ...rest,
    ],
  };
}
