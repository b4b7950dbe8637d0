/**
 * Prices and windows by model: an extract of `@pydantic/genai-prices`, read by its rules. The package itself is one object of
 * 0.8 MB, which takes 65 ms to load in one piece, in the middle of the host's work. Of it `price-table-json.ts` keeps the
 * providers that are found by a model's name and the figures that are used here; `test/cost/price-table.test.ts` writes it, and
 * holds every answer to that of the package.
 */
import { PRICE_TABLE_JSON } from './price-table-json.ts';

/** USD per million tokens, by the names of the table. */
export interface TablePrices {
  readonly input_mtok?: TablePrice;
  readonly cache_read_mtok?: TablePrice;
  readonly cache_write_mtok?: TablePrice;
  readonly cache_write_1h_mtok?: TablePrice;
  readonly output_mtok?: TablePrice;
}

type TablePrice = number | TieredPrice;

/** A tier by size of the whole prompt: the price applies to all its tokens. */
export interface TieredPrice {
  readonly base: number;
  readonly tiers: readonly { readonly start: number; readonly price: number }[];
}

type Match =
  | { readonly or: readonly Match[] }
  | { readonly and: readonly Match[] }
  | { readonly equals: string }
  | { readonly starts_with: string }
  | { readonly ends_with: string }
  | { readonly contains: string }
  | { readonly regex: string };

type Constraint =
  | { readonly type: 'start_date'; readonly start_date: string }
  /** Times of day, with their zone: `16:30:00Z`. */
  | { readonly type: 'time_of_date'; readonly start_time: string; readonly end_time: string };

interface TableModel {
  readonly id: string;
  readonly match: Match;
  /** The last one in force counts. */
  readonly prices:
    | TablePrices
    | readonly { readonly constraint?: Constraint; readonly prices: TablePrices }[];
  readonly context_window?: number;
}

type PriceTable = readonly { readonly match: Match; readonly models: readonly TableModel[] }[];

/** As JSON it is there three times as soon as an object written out would be. */
const TABLE = JSON.parse(PRICE_TABLE_JSON) as PriceTable;

export interface TableEntry {
  /** The id that the table has: perhaps of another model, as names are matched by their beginnings. */
  readonly id: string;
  readonly prices: TablePrices;
  readonly windowTokens: number | null;
}

/** What the package would say, from its `calcPrice` without a provider: `null` where it knows no such name. */
export function entryFor(modelId: string, atMs: number): TableEntry | null {
  const name = modelId.toLowerCase().trim();
  const models = TABLE.find(({ match }) => isMatch(match, name))?.models;
  const modelNamed = (spelled: string) => models?.find(({ match }) => isMatch(match, spelled));
  const model = modelNamed(name) ?? modelNamed(withDashedDates(name));
  if (model === undefined) return null;
  return { id: model.id, prices: pricesAt(model, atMs), windowTokens: model.context_window ?? null };
}

function isMatch(match: Match, name: string): boolean {
  if ('or' in match) return match.or.some((one) => isMatch(one, name));
  if ('and' in match) return match.and.every((one) => isMatch(one, name));
  if ('equals' in match) return name === match.equals.toLowerCase();
  if ('starts_with' in match) return name.startsWith(match.starts_with.toLowerCase());
  if ('ends_with' in match) return name.endsWith(match.ends_with.toLowerCase());
  if ('contains' in match) return name.includes(match.contains.toLowerCase());
  return new RegExp(match.regex).test(name);
}

/** `-20260102` as `-2026-01-02`, which other names are listed under. */
function withDashedDates(name: string): string {
  return name.replace(/-(20\d{2})(\d{2})(\d{2})(?=-|:|$)/g, (whole, year, month, day) => {
    const date = `${year}-${month}-${day}`;
    const time = Date.parse(`${date}T00:00:00Z`);
    const isDate = !Number.isNaN(time) && new Date(time).toISOString().startsWith(date);
    return isDate ? `-${date}` : whole;
  });
}

function pricesAt({ prices }: TableModel, atMs: number): TablePrices {
  if (!isList(prices)) return prices;
  const inForce = prices.findLast(
    ({ constraint }) => constraint === undefined || isInForce(constraint, atMs),
  );
  return (inForce ?? prices[0])?.prices ?? {};
}

function isList<Item>(value: object | readonly Item[]): value is readonly Item[] {
  return Array.isArray(value);
}

const DAY_MS = 86_400_000;

function isInForce(constraint: Constraint, atMs: number): boolean {
  if (constraint.type === 'start_date') return atMs >= Date.parse(constraint.start_date);
  const timeOfDay = (text: string) => Date.parse(`1970-01-02T${text}`) % DAY_MS;
  const [now, start, end] = [atMs % DAY_MS, timeOfDay(constraint.start_time), timeOfDay(constraint.end_time)];
  return end < start ? now >= start || now < end : now >= start && now < end;
}
