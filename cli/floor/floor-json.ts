/** `prefixtrace floor --json`, version 1. Token figures of parts are estimates that add up to `tokens.floor`; USD are of one call. */
import { noteJson } from '../report/diagnosis-json.ts';
import type { SourceNotes } from '../sources/notes.ts';
import { usdOf } from './floor-price.ts';
import type { PricedHead } from './floor-text.ts';
import { LONG_DESCRIPTION_TOKENS, type MeasuredPart } from './measured-head.ts';
import { dividedMessages, type MessageTokens } from './message-weights.ts';

export function floorJson(heads: readonly PricedHead[], notes: SourceNotes): string {
  const answer = {
    version: 1,
    heads: heads.map(headJson),
    unreadable: noteJson(notes.unreadable),
    skippedLines: noteJson(notes.skippedLines),
  };
  return `${JSON.stringify(answer, null, 2)}\n`;
}

function headJson(head: PricedHead) {
  const { seen, price, parts } = head;
  const trim = (tokens: number) => ({ tokens: Math.round(tokens), usd: usdOf(tokens, price) });
  return {
    api: seen.api,
    model: seen.model,
    phase: seen.phase,
    calls: seen.calls,
    lineages: seen.lineages,
    changes: seen.changes,
    forms: seen.forms.size,
    last: { at: seen.at, source: seen.source },
    tokens: { floor: Math.round(seen.tokens), input: seen.input, method: seen.method },
    usd: usdOf(seen.tokens, price),
    price: price && { model: price.priceModel, date: price.priceDate },
    parts: parts.map((part) => ({ ...partJson(part), usd: usdOf(part.tokens, price) })),
    neverCalled: head.neverCalled?.map(({ label }) => label) ?? null,
    savings: {
      neverCalled: head.neverCalled && trim(head.neverCalled.reduce((sum, { tokens }) => sum + tokens, 0)),
      schemaKeys: head.keys.map(({ key, count, tokens }) => ({ key, count, ...trim(tokens) })),
      schemaDescriptions: { count: head.descriptions.count, ...trim(head.descriptions.tokens) },
      longDescriptions: {
        limitTokens: LONG_DESCRIPTION_TOKENS,
        ...trim(head.excess.tokens),
        list: head.longDescriptions.map((long) => ({ ...long, tokens: Math.round(long.tokens) })),
      },
    },
    messages: {
      perCall: rounded(dividedMessages(seen.messages, Math.max(1, seen.calls))),
      last: rounded(seen.lastMessages),
    },
  };
}

function partJson({ component, label, tokens, tool, isNeverCalled }: MeasuredPart) {
  return {
    component,
    label,
    tokens: Math.round(tokens),
    ...(tool && {
      name: Math.round(tool.name),
      description: Math.round(tool.description),
      schema: Math.round(tool.schema),
      neverCalled: isNeverCalled,
    }),
  };
}

function rounded(tokens: MessageTokens) {
  return Object.fromEntries(Object.entries(tokens).map(([sort, count]) => [sort, Math.round(count)]));
}
