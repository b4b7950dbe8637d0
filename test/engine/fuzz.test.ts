/** Whatever a body, a header or a usage holds: the engine answers with a diagnosis or says why it cannot, and in time. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/diagnose.ts';
import type { Api, JsonObject, JsonValue } from '../../src/exchange.ts';
import { expectAnswers } from './support/answers.ts';
import { conversationArb } from './support/conversation.ts';
import { FIELDS } from './support/fields.ts';
import { APIS, exchangeOf, render } from './support/render.ts';
import { oddUsageArb } from './support/usage.ts';

const leafArb: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>(
    null,
    true,
    '',
    0,
    -1,
    1e21,
    'user',
    'assistant',
    'tool',
    'system',
    'text',
    'tool_use',
    'tool_result',
    'image',
    'ephemeral',
    '5m',
    '__proto__',
  ),
  fc.string({ unit: 'binary' }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** Times that a calendar holds; others are an open fault (see `open-faults.test.ts`). */
const timeArb = fc.double({ min: -8.64e15, max: 8.64e15, noNaN: true });

function nestedArb(fields: readonly string[]): fc.Arbitrary<JsonValue> {
  const key = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...fields) },
    { weight: 1, arbitrary: fc.string() },
  );
  return fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      leafArb,
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(key, tie('value'), { maxKeys: 6 }),
    ),
  })).value;
}

function bodyArb(fields: readonly string[]): fc.Arbitrary<JsonObject> {
  return fc.dictionary(fc.constantFrom(...fields), nestedArb(fields), { maxKeys: 8 });
}

/** A sound body in which one value, anywhere, was replaced by one of the wrong type. */
function damagedArb(api: Api): fc.Arbitrary<JsonObject> {
  return fc
    .tuple(conversationArb({ maxRounds: 3 }), fc.nat(), nestedArb(FIELDS[api]))
    .map(([conversation, pick, value]) => {
      const body = structuredClone(render(api, conversation).body) as Record<string, unknown>;
      const places: { holder: Record<string, unknown>; key: string }[] = [];
      const walk = (holder: Record<string, unknown>) => {
        for (const key of Object.keys(holder)) {
          places.push({ holder, key });
          const inner = holder[key];
          if (typeof inner === 'object' && inner !== null) walk(inner as Record<string, unknown>);
        }
      };
      walk(body);
      const place = places[pick % Math.max(1, places.length)];
      if (place) place.holder[place.key] = value;
      return body as JsonObject;
    });
}

describe.each(APIS)('%s', (api) => {
  const callArb = fc
    .tuple(
      fc.oneof(bodyArb(FIELDS[api]), damagedArb(api)),
      oddUsageArb(api),
      fc.option(timeArb),
      fc.constantFrom(undefined, 200, 400, 529),
    )
    .map(([body, usage, at, status]) =>
      exchangeOf(
        { api, body, model: undefined },
        { atMs: at ?? undefined, response: { ending: 'completed', status, usage } },
      ),
    );

  it('answers to random JSON under its own field names', async () => {
    await fc.assert(fc.asyncProperty(fc.array(callArb, { minLength: 1, maxLength: 4 }), expectAnswers), {
      numRuns: 300,
    });
  });

  it('answers the same body twice, and calls the second one no divergence, whatever the body', async () => {
    await fc.assert(
      fc.asyncProperty(callArb, async (call) => {
        const engine = await createEngine();
        const answers = [call, call].map((exchange) => engine.start(exchange).finish(undefined));
        const second = answers[1];
        if (second && 'diagnosis' in second)
          expect(second.diagnosis).toMatchObject({ divergence: null, finding: false });
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    '',
    ' ',
    'null',
    '[]',
    '"text"',
    '12',
    '{',
    '{"messages":',
    '\ufeff{}',
    '{}',
    'undefined',
    '\u0000',
  ])('names the body %j unreadable and forgets the call', async (body) => {
    const engine = await createEngine();
    expect(engine.start({ api, body, scope: {} }).finish(undefined)).toMatchObject({
      unreadable: expect.any(String),
    });
  });
});
