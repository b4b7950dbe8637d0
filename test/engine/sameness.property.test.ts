/** What the provider treats as the same prompt is the same for the engine; what it renders differently is not. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/exchange.ts';
import { type Conversation, conversationArb, type Part } from './support/conversation.ts';
import { diagnosed } from './support/diagnosed.ts';
import { reorderFixed, reversedKeys } from './support/json-order.ts';
import { APIS, exchangeOf, type Rendered, render } from './support/render.ts';

async function second(before: Rendered, after: Rendered) {
  const [, call] = await diagnosed([exchangeOf(before), exchangeOf(after)]);
  return call;
}

/** Another order of the keys of every object, decided by one number. */
function shuffled(seed: number): (keys: readonly string[]) => string[] {
  return (keys) =>
    keys
      .map((key, index) => ({ key, at: (index * 7919 + seed * 31) % (keys.length + 3) }))
      .sort((a, b) => b.at - a.at)
      .map(({ key }) => key);
}

describe.each(APIS)('%s', (api) => {
  it('takes no notice of the order in which fixed fields stand in the JSON', async () => {
    await fc.assert(
      fc.asyncProperty(conversationArb(), fc.nat(50), async (conversation, seed) => {
        const before = render(api, conversation);
        const body = reorderFixed(before.body, shuffled(seed)) as JsonObject;
        const call = await second(before, { ...before, body });
        expect(call).toMatchObject({ divergence: null, finding: false });
      }),
    );
  });

  it('sees another key order inside the schema of a tool', async () => {
    await fc.assert(
      fc.asyncProperty(conversationArb(), fc.nat(), async (conversation, pick) => {
        fc.pre(conversation.tools.length > 0);
        const at = pick % conversation.tools.length;
        const tools = conversation.tools.map((tool, index) =>
          index === at ? { ...tool, properties: reversedKeys(tool.properties) } : tool,
        );
        const call = await second(render(api, conversation), render(api, { ...conversation, tools }));
        expect(call?.divergence).toMatchObject({
          component: 'tools',
          kind: 'tools.schema_order',
          byteOffset: null,
        });
        expect(call?.divergence?.label).toBe(`tool tool_${at}`);
      }),
    );
  });

  it('sees another key order inside the arguments of an earlier call', async () => {
    await fc.assert(
      fc.asyncProperty(conversationArb({ minRounds: 2 }), async (conversation) => {
        const changed = withReversedArguments(conversation);
        fc.pre(changed !== undefined);
        const call = await second(render(api, conversation), render(api, changed as Conversation));
        expect(call?.divergence).toMatchObject({
          component: 'messages',
          kind: 'messages.tool_args_reserialized',
        });
      }),
    );
  });
});

/** The first call's arguments the other way round; `undefined` where there is no call with something behind it. */
function withReversedArguments(conversation: Conversation): Conversation | undefined {
  const at = conversation.messages
    .slice(0, -2)
    .findIndex(({ parts }) => parts.some(({ kind }) => kind === 'call'));
  if (at < 0) return undefined;
  let isDone = false;
  const reverse = (part: Part): Part => {
    if (part.kind !== 'call' || isDone) return part;
    isDone = true;
    return { ...part, input: reversedKeys(part.input) };
  };
  const messages = conversation.messages.map((message, index) =>
    index === at ? { ...message, parts: message.parts.map(reverse) } : message,
  );
  return { ...conversation, messages };
}

describe('a string is one text block', () => {
  const plain: Record<string, (text: string) => JsonObject[]> = {
    'anthropic.messages': (text) => [
      {
        system: text,
        messages: [
          { role: 'user', content: text },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: text }] },
        ],
      },
      {
        system: [{ type: 'text', text }],
        messages: [
          { role: 'user', content: [{ type: 'text', text }] },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text }] }],
          },
        ],
      },
    ],
    'openai.chat': (text) =>
      [text, [{ type: 'text', text }]].map((content) => ({
        messages: ['system', 'user', 'assistant', 'tool'].map((role) => ({
          role,
          content,
          ...(role === 'tool' ? { tool_call_id: 't' } : {}),
        })),
      })),
    'openai.responses': (text) => [
      {
        input: [
          { role: 'user', content: text },
          { type: 'function_call_output', call_id: 'c', output: text },
        ],
      },
      {
        input: [
          { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
          { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text }] },
        ],
      },
    ],
  };

  it.each(Object.keys(plain) as (keyof typeof plain)[])('%s', async (api) => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1 }), async (text) => {
        const bodies = (plain[api] as (text: string) => JsonObject[])(text);
        for (const [before, after] of [bodies, [...bodies].reverse()]) {
          const calls = [before, after].map((body) =>
            exchangeOf({ api: api as Rendered['api'], body: body ?? {}, model: undefined }),
          );
          expect((await diagnosed(calls))[1]).toMatchObject({ divergence: null, baseline: 0, turn: 2 });
        }
      }),
    );
  });

  it('openai.responses: the whole input as one string is one user message', async () => {
    const bodies = [{ input: 'Hello' }, { input: [{ role: 'user', content: 'Hello' }] }];
    const calls = bodies.map((body) => exchangeOf({ api: 'openai.responses', body, model: 'gpt-5.6' }));
    expect((await diagnosed(calls))[1]).toMatchObject({ divergence: null, baseline: 0, turn: 2 });
  });
});
