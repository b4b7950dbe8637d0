/** Token figures of calls, with a counter that a test can look into. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEngine, diagnose } from '../../src/diagnose.ts';
import type { Diagnosis } from '../../src/diagnosis.ts';
import type { Engine } from '../../src/engine.ts';
import type { Exchange, JsonObject } from '../../src/exchange.ts';
import { createTokenCounter, type TokenCounter } from '../../src/tokens/counter.ts';

function openCounter(): TokenCounter {
  const counter = createTokenCounter();
  onTestFinished(() => counter.close());
  return counter;
}

const RULES = 'You answer questions about the weather, in full sentences, and name your sources. '.repeat(40);
const TOOLS = ['weather', 'search', 'map'].map((name) => ({
  type: 'function',
  function: {
    name,
    description: `Looks up the ${name} of a place by its name or its coordinates.`,
    parameters: {
      type: 'object',
      properties: { place: { type: 'string', description: 'name of the place' } },
    },
  },
}));

/** A conversation of so many turns; `system` tells conversations apart. */
function body(turns: number, { model = 'gpt-4o', system = RULES } = {}): JsonObject {
  const messages: JsonObject[] = [{ role: 'system', content: system }];
  for (let turn = 0; turn < turns; turn += 1) {
    messages.push({
      role: 'user',
      content: `Question ${turn}: how is the weather in Пермь, 東京 and Zürich?`,
    });
    messages.push({ role: 'assistant', content: `It is ${turn} degrees, with some clouds in the evening.` });
  }
  messages.push({ role: 'user', content: 'And tomorrow?' });
  return { model, tools: TOOLS, messages };
}

function exchange(sent: JsonObject, promptTokens: number | null, cachedTokens = 0): Exchange {
  const usage =
    promptTokens === null
      ? undefined
      : {
          prompt_tokens: promptTokens,
          prompt_tokens_details: { cached_tokens: cachedTokens },
          completion_tokens: 5,
        };
  return { api: 'openai.chat', body: sent, scope: {}, response: { ending: 'completed', status: 200, usage } };
}

async function finish(engine: Engine, call: Exchange, waits: boolean): Promise<Diagnosis> {
  const started = engine.start(call);
  if (waits) await started.prepare?.(call.response);
  const finished = started.finish(call.response);
  if ('unreadable' in finished) throw new Error(finished.unreadable);
  return finished.diagnosis;
}

/** What a model would report that renders everything as we count it, times a factor of its own. */
async function countedTokens(sent: JsonObject): Promise<number> {
  const [diagnosis] = await diagnose([exchange(sent, null)], { tokenCounter: openCounter() });
  return diagnosis?.tokens.input as number;
}

describe('calls with usage', () => {
  it('take their figures from it and never start the worker', async () => {
    const tokenCounter = openCounter();
    const calls = [1, 2, 3].map((turns) => exchange(body(turns), 1_000 + turns * 50));
    const diagnoses = await diagnose(calls, { tokenCounter });
    expect(diagnoses.map(({ tokens }) => [tokens.input, tokens.method])).toEqual([
      [1_050, 'usage'],
      [1_100, 'usage'],
      [1_150, 'usage'],
    ]);
    expect(tokenCounter.stats.workerStarts).toBe(0);
  });

  it('do not start it where others were refused or broke off before an answer', async () => {
    const tokenCounter = openCounter();
    const refused: Exchange = { ...exchange(body(2), null), response: { ending: 'failed', status: 529 } };
    const broken: Exchange = { ...exchange(body(2), null), response: { ending: 'failed' } };
    const diagnoses = await diagnose([exchange(body(1), 1_050), refused, broken], { tokenCounter });
    expect(diagnoses.map(({ tokens }) => tokens.method)).toEqual(['usage', 'calibrated', 'calibrated']);
    expect(tokenCounter.stats.workerStarts).toBe(0);
  });

  it('share their total by counts where they are known', async () => {
    const digits = '0123456789'.repeat(300);
    const words = 'international responsibilities '.repeat(97);
    const sent: JsonObject = {
      model: 'gpt-4o',
      messages: [
        { role: 'system', content: words },
        { role: 'user', content: digits },
      ],
    };
    const shareOfSystem = async (tokenCounter: TokenCounter) => {
      const engine = await createEngine({ tokenCounter });
      const started = engine.start(exchange(sent, 1_200));
      const call = started.finish(exchange(sent, 1_200).response);
      if ('unreadable' in call) throw new Error(call.unreadable);
      return call.evidence.componentTokens.system / 1_200;
    };
    const tokenCounter = openCounter();
    expect(await shareOfSystem(tokenCounter)).toBeCloseTo(0.5, 1);
    await diagnose([exchange(sent, null)], { tokenCounter });
    expect(await shareOfSystem(tokenCounter)).toBeCloseTo(0.16, 1);
  });
});

describe('calls without usage', () => {
  it('are estimated by counts, where no usage of their model was seen', async () => {
    const text = 'Wie ist das Wetter morgen in der Stadt? '.repeat(100);
    const sent = { model: 'gpt-4o', messages: [{ role: 'user', content: text }] };
    const [diagnosis] = await diagnose([exchange(sent, null)]);
    expect(diagnosis?.tokens.method).toBe('estimated');
    expect(diagnosis?.tokens.input).toBeGreaterThan(900);
    expect(diagnosis?.tokens.input).toBeLessThan(1_100);
  });

  it.each([
    ['denser', 1.3],
    ['thinner', 0.8],
  ])('are scaled to a model that counts %s', async (_, factor) => {
    const model = 'claude-sonnet-4-5';
    const known = body(30, { model });
    const asked = body(20, { model, system: `Another conversation. ${RULES}` });
    const [knownTokens, askedTokens] = [await countedTokens(known), await countedTokens(asked)];
    const diagnoses = await diagnose([
      exchange(known, Math.round(knownTokens * factor)),
      exchange(asked, null),
    ]);
    const tokens = diagnoses[1]?.tokens;
    expect(tokens?.method).toBe('calibrated');
    expect((tokens?.input as number) / (askedTokens * factor)).toBeGreaterThan(0.95);
    expect((tokens?.input as number) / (askedTokens * factor)).toBeLessThan(1.05);
  });

  it('go on from the reported total of their conversation, over several calls', async () => {
    const overhead = 1_000;
    const calls = [];
    const truth: number[] = [];
    for (const turns of [30, 31, 32, 33]) {
      truth.push((await countedTokens(body(turns))) + overhead);
      calls.push(exchange(body(turns), turns === 30 ? (truth[0] as number) : null));
    }
    const diagnoses = await diagnose(calls);
    expect(diagnoses.map(({ tokens }) => tokens.method)).toEqual([
      'usage',
      'calibrated',
      'calibrated',
      'calibrated',
    ]);
    diagnoses.forEach(({ tokens }, index) => {
      expect(Math.abs(tokens.input / (truth[index] as number) - 1)).toBeLessThan(0.03);
    });
  });

  it('are not scaled by a report on what the body does not show', async () => {
    const search = {
      model: 'gpt-4o',
      messages: [{ role: 'user', content: 'Search the web for the weather.' }],
    };
    const other = { ...exchange(body(20), null), scope: { thread: 'another' } };
    const diagnoses = await diagnose([exchange(search, 90_000), other]);
    expect(diagnoses[1]?.tokens.method).toBe('estimated');
    expect(diagnoses[1]?.tokens.input).toBeLessThan(3_000);
  });

  it('are not misled by the overhead of one short call', async () => {
    const short = { model: 'gpt-4o', messages: [{ role: 'user', content: 'quota' }] };
    const truth = await countedTokens(body(40));
    const diagnoses = await diagnose([exchange(short, 20), exchange(body(40), null)]);
    expect(Math.abs((diagnoses[1]?.tokens.input as number) / truth - 1)).toBeLessThan(0.1);
  });

  it('count an image as an image, and not its base64', async () => {
    const picture = Buffer.alloc(300_000, 'some bytes').toString('base64');
    const sent: JsonObject = {
      model: 'gpt-4o',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } },
          ],
        },
      ],
    };
    const [diagnosis] = await diagnose([exchange(sent, null)]);
    expect(diagnosis?.tokens.input).toBeGreaterThan(500);
    expect(diagnosis?.tokens.input).toBeLessThan(3_000);
  });

  it('get the same figures offline each time', async () => {
    const calls = [
      exchange(body(3), null),
      exchange(body(4), 1_500),
      exchange(body(5), null),
      exchange(body(6), null),
    ];
    const first = await diagnose(calls);
    expect(await diagnose(calls)).toEqual(first);
  });

  it('do not wait for counts while they are live: the next call has them', async () => {
    const tokenCounter = openCounter();
    const engine = await createEngine({ tokenCounter });
    const system = '0123456789'.repeat(600);
    const first = await finish(engine, exchange(body(2, { system }), null), false);
    await tokenCounter.settled();
    const second = await finish(engine, exchange(body(2, { system }), null), false);
    expect(second.tokens.input).toBeGreaterThan(first.tokens.input * 1.2);
    expect(await countedTokens(body(2, { system }))).toBe(second.tokens.input);
  });

  it('are estimated by length where no counter is given', async () => {
    const engine = await createEngine();
    const diagnosis = await finish(engine, exchange(body(2), null), true);
    expect(diagnosis.tokens.method).toBe('estimated');
    expect(diagnosis.tokens.input).toBeGreaterThan(500);
  });
});
