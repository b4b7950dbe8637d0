/**
 * Our extract of the price table against the package that it is taken from. After an update of the package run this test with
 * `--update`: it writes `src/cost/price-table-json.ts` anew.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { calcPrice, findProvider, type ModelInfo, type Provider } from '@pydantic/genai-prices';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entryFor } from '../../src/cost/price-table.ts';

const FIELDS = ['input_mtok', 'cache_read_mtok', 'cache_write_mtok', 'cache_write_1h_mtok', 'output_mtok'];
const DECEMBER_MS = Date.parse('2026-12-02T09:00:00Z');

/** The package has no list of providers: their ids stand in its text. */
const source = readFileSync(fileURLToPath(import.meta.resolve('@pydantic/genai-prices')), 'utf8');
const providers = [...source.matchAll(/^ {4}id: "([^"]+)",$/gm)].flatMap(
  ([, providerId = '']) => findProvider({ providerId }) ?? [],
);
const named = providers.filter(({ model_match }) => model_match !== undefined);

const used = (prices: object) =>
  Object.fromEntries(FIELDS.flatMap((field) => Object.entries(prices).filter(([name]) => name === field)));
const usedOf = ({ id, match, prices, context_window }: ModelInfo) => ({
  id,
  match,
  prices: Array.isArray(prices)
    ? prices.map(({ constraint, prices }) => ({ constraint, prices: used(prices) }))
    : used(prices),
  context_window,
});
/** A model a line, so that an update can be read. */
const textOf = (from: readonly Provider[]) =>
  `/** Written by \`test/cost/price-table.test.ts\`; what it is: \`price-table.ts\`. */\nexport const PRICE_TABLE_JSON = String.raw\`[\n${from
    .map(
      ({ model_match, models }) =>
        `{"match":${JSON.stringify(model_match)},"models":[\n${models.map((model) => JSON.stringify(usedOf(model))).join(',\n')}\n]}`,
    )
    .join(',\n')}\n]\`;\n`;

const models = providers.flatMap(({ models }) => models.map(({ id }) => id));

function expectSameAnswer(modelId: string, atMs: number): void {
  const theirs = calcPrice({ input_tokens: 0 }, modelId, { timestamp: new Date(atMs) });
  const ours = entryFor(modelId, atMs);
  expect(ours && [ours.id, ours.prices, ours.windowTokens], `${modelId} at ${atMs}`).toEqual(
    theirs && [theirs.model.id, used(theirs.model_price), theirs.model.context_window ?? null],
  );
}

describe('the extract of the price table', () => {
  it('holds the models of the providers that are found by the name of a model', async () => {
    expect(named.length).toBeGreaterThan(10);
    await expect(textOf(named)).toMatchFileSnapshot('../../src/cost/price-table-json.ts');
  });

  it('answers as the package does for every model of every provider', () => {
    expect(models.length).toBeGreaterThan(1_000);
    for (const id of models) expectSameAnswer(id, DECEMBER_MS);
  });

  it('answers as the package does for names with dates, versions and other endings, at any time', () => {
    const ending = fc.constantFrom(
      '',
      '-20250929',
      '-2025-09-29',
      '-20251399',
      '-latest',
      '-preview',
      ':free',
      '-v2',
      ' ',
    );
    const anyTime = fc.integer({ min: Date.parse('2023-01-01'), max: Date.parse('2027-12-31') });
    fc.assert(
      fc.property(fc.constantFrom(...models), ending, fc.boolean(), anyTime, (id, end, isUpper, atMs) =>
        expectSameAnswer(`${isUpper ? id.toUpperCase() : id}${end}`, atMs),
      ),
      { numRuns: 2_000 },
    );
  });

  it('answers as the package does at the hours at which prices change', () => {
    const changing = named.flatMap(({ models }) => models.filter(({ prices }) => Array.isArray(prices)));
    expect(changing.length).toBeGreaterThan(5);
    for (const { id, prices } of changing) {
      const days = (prices as { constraint?: { start_date?: string } }[]).map(
        ({ constraint }) => constraint?.start_date,
      );
      for (const day of ['2026-12-02', ...days.filter((day) => day !== undefined)])
        for (let hour = -24; hour <= 24; hour += 0.5) {
          const atMs = Date.parse(day) + hour * 3_600_000;
          for (const off of [-1, 0, 1]) expectSameAnswer(id, atMs + off);
        }
    }
  });
});
