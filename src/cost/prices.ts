/**
 * What tokens cost, from the table of `@pydantic/genai-prices` (`price-table.ts`) with corrections of our own (`newer-prices.ts`).
 * The table matches models by prefix, which gives wrong rather than missing answers for models that are newer than it
 * (`claude-sonnet-5-5` resolves to `claude-sonnet-5`): an answer counts only when its id is the one asked for.
 */
import type { TokenUsage } from '../prompt/usage.ts';
import { NEWER_PRICES, PRICE_TABLE_DATE } from './newer-prices.ts';
import type { Price } from './price.ts';
import type { TableEntry, TablePrices, TieredPrice } from './price-table.ts';

interface FoundPrice {
  readonly price: Price;
  /** The model id that the price is for. */
  readonly model: string;
  /** Date of the price, ISO. */
  readonly date: string;
}

/** Prices as the application gives them: model id to price. They win over every table. */
export type PriceOverrides = Readonly<Record<string, Price>>;

export interface Prices {
  find(model: string, inputTokens: number, atMs: number | null): FoundPrice | null;
}

export async function loadPrices(overrides: PriceOverrides = {}): Promise<Prices> {
  const { entryFor } = await import('./price-table.ts');
  /** Owner: this function. A lookup walks the models of a provider; one process asks for few of them. */
  const known = new Map<string, TableEntry | null>();
  const lookUp = (id: string, atMs: number | null): TableEntry | null => {
    // Prices change by the day, and by the hour of day at one vendor.
    const key = `${id} ${atMs === null ? 'now' : Math.floor(atMs / 3_600_000)}`;
    let entry = known.get(key);
    if (entry === undefined) {
      const found = entryFor(id, atMs ?? Date.now());
      entry = found !== null && isSameModel(id, found.id) ? found : null;
      if (known.size >= MOST_LOOKUPS) known.clear();
      known.set(key, entry);
    }
    return entry;
  };
  return {
    find(model, inputTokens, atMs) {
      const id = plainModelId(model);
      const name = [model, id].find((candidate) => Object.hasOwn(overrides, candidate));
      if (name !== undefined) return { price: overrides[name] as Price, model: name, date: 'override' };
      const isInForce = (from: string) => atMs === null || atMs >= Date.parse(from);
      const newer = NEWER_PRICES.find((entry) => entry.model.test(id) && isInForce(entry.from));
      if (newer) return { price: newer.price(inputTokens), model: id, date: newer.from };
      const entry = lookUp(id, atMs);
      const price = entry && priceOf(entry.prices, inputTokens);
      return entry && price ? { price, model: entry.id, date: PRICE_TABLE_DATE } : null;
    },
  };
}

const MOST_LOOKUPS = 1_000;

function priceOf(prices: TablePrices, inputTokens: number): Price | null {
  const at = (name: keyof TablePrices) => tierPrice(prices[name], inputTokens);
  const input = at('input_mtok');
  if (input === null) return null;
  return {
    input,
    cacheRead: at('cache_read_mtok'),
    cacheWrite: at('cache_write_mtok'),
    longTtlWrite: at('cache_write_1h_mtok'),
    output: at('output_mtok'),
  };
}

/** Vendor, region and version wrappers are not part of the name that prices are listed under. */
function plainModelId(model: string): string {
  return model
    .replace(/^.*\//, '')
    .replace(/^(us-gov|us|eu|apac|jp|au|global)\./, '')
    .replace(/^(anthropic|openai|google|meta|mistral|deepseek|amazon)\./, '')
    .replace(/-v\d+:\d+$/, '')
    .replace(/:[\w-]+$/, '')
    .replace(/@/, '-');
}

/** Equal but for a snapshot date, an alias ending or the spelling of a version. */
function isSameModel(asked: string, found: string): boolean {
  const plain = (id: string) =>
    id
      .toLowerCase()
      .replace(/[._]/g, '-')
      .replace(/-(\d{8}|\d{4}-\d{2}-\d{2}|latest|preview)$/, '');
  const [a, b] = [plain(asked), plain(found)];
  return a === b || ALIASES[a] === b;
}

/** Names that the vendors document as the same model. */
const ALIASES: Readonly<Record<string, string>> = {
  'claude-opus-4': 'claude-opus-4-0',
  'claude-sonnet-4': 'claude-sonnet-4-0',
  'gpt-3-5-turbo-0125': 'gpt-3-5-turbo',
  'gpt-5-6': 'gpt-5-6-sol',
  'grok-4': 'grok-4-0709',
};

function tierPrice(price: number | TieredPrice | undefined, inputTokens: number): number | null {
  if (price === undefined) return null;
  if (typeof price === 'number') return price;
  // A tier applies to the whole request once its tokens exceed the start.
  const tier = price.tiers.filter(({ start }) => inputTokens > start).at(-1);
  return tier?.price ?? price.base;
}

/** The whole call at these prices, output included where it is known; `null` where its share of cached tokens is not. */
export function costOf(usage: TokenUsage, price: Price): number | null {
  if (usage.cacheRead === null && usage.uncached === null) return null;
  const write = usage.cacheWrite ?? 0;
  const longWrite = Math.min(usage.longTtlWrite ?? 0, write);
  const uncached = usage.uncached ?? usage.input;
  const perMillion =
    uncached * price.input +
    (usage.cacheRead ?? 0) * (price.cacheRead ?? price.input) +
    (write - longWrite) * (price.cacheWrite ?? price.input) +
    longWrite * (price.longTtlWrite ?? price.cacheWrite ?? price.input) +
    (usage.output ?? 0) * (price.output ?? 0);
  return perMillion / 1_000_000;
}

/**
 * Tokens billed again cost the price that was charged (write price where they were written) less the read price. Usage
 * says how much was written for each lifetime, not which tokens: they count in proportion.
 */
export function rebilledCost(rebilled: number, usage: TokenUsage, price: Price): number | null {
  if (price.cacheRead === null) return null;
  const write = usage.cacheWrite ?? 0;
  const written = Math.min(rebilled, write);
  const longShare = write === 0 ? 0 : Math.min(1, (usage.longTtlWrite ?? 0) / write);
  const shortPrice = price.cacheWrite ?? price.input;
  const writePrice = longShare * (price.longTtlWrite ?? shortPrice) + (1 - longShare) * shortPrice;
  const charged = written * writePrice + (rebilled - written) * price.input;
  return Math.max(0, charged - rebilled * price.cacheRead) / 1_000_000;
}
