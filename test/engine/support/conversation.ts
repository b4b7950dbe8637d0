/**
 * Random agent conversations, told in no API's words; `render.ts` puts them into each API's.
 *
 * Spot: one text of a conversation that a test may change and then look for.
 */
import * as fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../src/exchange.ts';

export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'media'; readonly data: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly input: JsonObject }
  | { readonly kind: 'result'; readonly id: string; readonly name: string; readonly text: string };

export interface Message {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly parts: readonly Part[];
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly properties: JsonObject;
}

export interface Conversation {
  readonly tools: readonly Tool[];
  readonly system: readonly string[];
  readonly effort: 'low' | 'medium' | undefined;
  readonly schema: JsonObject | undefined;
  readonly messages: readonly Message[];
}

export type Spot =
  | { readonly tool: number }
  | { readonly system: number }
  | { readonly message: number; readonly part: number };

const MULTIBYTE = [
  'Grüße aus Zürich',
  'naïve café',
  '日本語の文章です。',
  '👩‍👩‍👧‍👦 family',
  'a\u0301 e\u0301',
  'Ω≈ç√',
  '😀😁😂',
];

export const textArb: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
  fc.lorem({ maxCount: 12 }),
  fc
    .tuple(fc.constantFrom(...MULTIBYTE), fc.string({ unit: 'grapheme', maxLength: 12 }))
    .map(([text, rest]) => text + rest),
);

/** Keys as programs write them; number-like ones are sorted by every JavaScript engine and prove nothing of order. */
const keyArb = fc.stringMatching(/^[a-z_][a-zA-Z_]{0,7}$/);

const valueArb: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.oneof(textArb, fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(keyArb, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

const objectArb: fc.Arbitrary<JsonObject> = fc.dictionary(keyArb, valueArb, {
  minKeys: 2,
  maxKeys: 4,
  noNullPrototype: true,
});

const toolArb = fc.record({ description: textArb, properties: objectArb });
const callArb = fc.record({ tool: fc.nat(9), input: objectArb, result: textArb });

const roundArb = fc.record({
  question: fc.array(
    fc.oneof(
      { weight: 5, arbitrary: textArb.map((text): Part => ({ kind: 'text', text })) },
      {
        weight: 1,
        arbitrary: fc
          .base64String({ minLength: 4, maxLength: 40 })
          .map((data): Part => ({ kind: 'media', data })),
      },
    ),
    { minLength: 1, maxLength: 3 },
  ),
  thinking: fc.option(textArb, { nil: undefined }),
  answer: fc.option(textArb, { nil: undefined }),
  calls: fc.array(callArb, { maxLength: 3 }),
});

type Round = typeof roundArb extends fc.Arbitrary<infer T> ? T : never;

function messagesOf(round: Round, number: number, tools: readonly Tool[]): Message[] {
  const calls = round.calls.map(({ tool, input, result }, index) => {
    const name = tools[tool % Math.max(1, tools.length)]?.name ?? 'tool_0';
    return { id: `call_${number}_${index}`, name, input, result };
  });
  const answer: Part[] = [
    ...(round.thinking === undefined ? [] : [{ kind: 'thinking' as const, text: round.thinking }]),
    ...(round.answer === undefined && calls.length > 0
      ? []
      : [{ kind: 'text' as const, text: round.answer ?? 'Well.' }]),
    ...calls.map(({ id, name, input }) => ({ kind: 'call' as const, id, name, input })),
  ];
  const results = calls.map(({ id, name, result }) => ({ kind: 'result' as const, id, name, text: result }));
  return [
    { role: 'user', parts: round.question },
    { role: 'assistant', parts: answer },
    ...(results.length > 0 ? [{ role: 'tool' as const, parts: results }] : []),
  ];
}

export interface ConversationSize {
  readonly minRounds?: number;
  readonly maxRounds?: number;
}

export function conversationArb({
  minRounds = 1,
  maxRounds = 5,
}: ConversationSize = {}): fc.Arbitrary<Conversation> {
  return fc
    .record({
      tools: fc.array(toolArb, { maxLength: 4 }),
      system: fc.array(textArb, { maxLength: 3 }),
      effort: fc.constantFrom(undefined, 'low' as const, 'medium' as const),
      schema: fc.option(objectArb, { nil: undefined, freq: 4 }),
      rounds: fc.array(roundArb, { minLength: minRounds, maxLength: maxRounds }),
    })
    .map(({ tools, rounds, ...rest }) => {
      const named = tools.map((tool, index) => ({ name: `tool_${index}`, ...tool }));
      return {
        ...rest,
        tools: named,
        messages: rounds.flatMap((round, number) => messagesOf(round, number, named)),
      };
    });
}

/** The conversation as it was when only so many of its messages were said. */
export function until(conversation: Conversation, messages: number): Conversation {
  return { ...conversation, messages: conversation.messages.slice(0, messages) };
}

/** Every text that a provider renders as a string of its own. */
export function spotsOf({ tools, system, messages }: Conversation): Spot[] {
  return [
    ...tools.map((_, tool) => ({ tool })),
    ...system.map((_, index) => ({ system: index })),
    ...messages.flatMap(({ parts }, message) =>
      parts.flatMap(({ kind }, part) => (kind === 'text' || kind === 'result' ? [{ message, part }] : [])),
    ),
  ];
}

export function textAt({ tools, system, messages }: Conversation, spot: Spot): string {
  if ('tool' in spot) return tools[spot.tool]?.description ?? '';
  if ('system' in spot) return system[spot.system] ?? '';
  const part = messages[spot.message]?.parts[spot.part];
  return part !== undefined && 'text' in part ? part.text : '';
}

export function withText(conversation: Conversation, spot: Spot, text: string): Conversation {
  const { tools, system, messages } = conversation;
  if ('tool' in spot)
    return { ...conversation, tools: replaced(tools, spot.tool, (tool) => ({ ...tool, description: text })) };
  if ('system' in spot) return { ...conversation, system: replaced(system, spot.system, () => text) };
  const change = (part: Part): Part => ('text' in part ? { ...part, text } : part);
  return {
    ...conversation,
    messages: replaced(messages, spot.message, ({ role, parts }) => ({
      role,
      parts: replaced(parts, spot.part, change),
    })),
  };
}

function replaced<T>(list: readonly T[], at: number, change: (item: T) => T): T[] {
  return list.map((item, index) => (index === at ? change(item) : item));
}

/** Texts that no other conversation says: what two random conversations have in common by chance is no statement. */
export function tagged(conversation: Conversation, tag: string): Conversation {
  return spotsOf(conversation).reduce(
    (changed, spot) => withText(changed, spot, `${tag} ${textAt(changed, spot)}`),
    conversation,
  );
}

/** Where two texts part, by their bytes. */
export function firstDifferingByte(a: string, b: string): number {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  let at = 0;
  while (at < left.length && at < right.length && left[at] === right[at]) at += 1;
  return at;
}
