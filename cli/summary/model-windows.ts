/**
 * Sizes of context windows, from the table that prices come from. That table matches models by the beginnings of their
 * names, so an entry counts only where the price table takes it for the very model that was asked for.
 */
import { entryFor, type TablePrices } from '../../src/cost/price-table.ts';
import { loadPrices } from '../../src/cost/prices.ts';
import type { FindWindow, ModelWindow } from './context-window.ts';

export async function loadModelWindows(): Promise<FindWindow> {
  const prices = await loadPrices();
  /** Owner: this function. A lookup walks every model of the table. */
  const known = new Map<string, ModelWindow | null>();
  const lookUp = (model: string, atMs: number | null): ModelWindow | null => {
    const priced = prices.find(model, 0, atMs);
    const found = priced && entryFor(priced.model, Date.now());
    if (!found || found.id !== priced?.model || found.windowTokens === null) return null;
    return { tokens: found.windowTokens, dearerAboveTokens: firstStep(found.prices.input_mtok) };
  };
  return (model, atMs) => {
    let window = known.get(model);
    if (window === undefined) {
      window = lookUp(model, atMs);
      known.set(model, window);
    }
    return window;
  };
}

function firstStep(price: TablePrices['input_mtok']): number | null {
  return typeof price === 'object' ? (price.tiers[0]?.start ?? null) : null;
}
