/**
 * Sizes of context windows, from the table that prices come from. That table matches models by the beginnings of their
 * names, so an entry counts only where the price table takes it for the very model that was asked for.
 */
import { loadPrices } from '../../src/cost/prices.ts';
import type { FindWindow, ModelWindow } from './context-window.ts';

export async function loadModelWindows(): Promise<FindWindow> {
  const [prices, { calcPrice }] = await Promise.all([loadPrices(), import('@pydantic/genai-prices')]);
  /** Owner: this function. A lookup walks every model of the table. */
  const known = new Map<string, ModelWindow | null>();
  const lookUp = (model: string, atMs: number | null): ModelWindow | null => {
    const priced = prices.find(model, 0, atMs);
    const found = priced && calcPrice({ input_tokens: 1 }, priced.model);
    if (!found || found.model.id !== priced?.model || found.model.context_window === undefined) return null;
    return {
      tokens: found.model.context_window,
      dearerAboveTokens: firstStep(found.model_price.input_mtok),
    };
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

function firstStep(
  price: number | undefined | { readonly tiers: readonly { readonly start: number }[] },
): number | null {
  return typeof price === 'object' ? (price.tiers[0]?.start ?? null) : null;
}
