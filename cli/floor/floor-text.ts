/** `prefixtrace floor` for a terminal or a plain pipe. All token figures of parts are estimates, and marked so. */
import { countOf, formatShare } from '../terminal/format.ts';
import type { Style } from '../terminal/style.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { wrap } from '../terminal/terminal-text.ts';
import type { FloorPrice } from './floor-price.ts';
import { estimate, MANY_CALLS, partName, priceCells, priceTitles, priceWords } from './floor-words.ts';
import { LONG_DESCRIPTION_TOKENS, type MeasuredHead, type MeasuredPart } from './measured-head.ts';
import { dividedMessages, MESSAGE_SORTS, type MessageSort } from './message-weights.ts';

export interface PricedHead extends MeasuredHead {
  readonly price: FloorPrice | null;
}

export interface FloorTextOptions {
  readonly style: Style;
  readonly columns: number;
}

/** Heads that are shown in full; of the others one line each. */
const FULL_HEADS = 3;
const MOST_PARTS = 20;
const WIDE_COLUMNS = 100;
const MOST_LISTED_HEADS = 20;
const MOST_LONG_DESCRIPTIONS = 5;
const MOST_NAMES = 24;

export function floorText(heads: readonly PricedHead[], options: FloorTextOptions): string {
  const filled = heads.filter(({ parts }) => parts.length > 0);
  const full = filled.slice(0, FULL_HEADS);
  const sections = [
    ...full.flatMap((head) => headSections(head, options)),
    otherHeads(filled.slice(FULL_HEADS), options),
    emptyHeads(heads),
    full.some((head) => trimRows(head).length > 0) ? warning(options) : [],
    full.length === 0 ? [] : remarks(full, options),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function headSections(head: PricedHead, options: FloorTextOptions): string[][] {
  return [
    [...titleLines(head, options), ...summaryLines(head)],
    partLines(head, options),
    trimLines(head, options),
    messageLines(head, options),
  ];
}

function titleLines({ seen }: PricedHead, { style, columns }: FloorTextOptions): string[] {
  const name = seen.phase ?? seen.model ?? 'unknown model';
  const facts = [
    ...(seen.phase === null ? [] : [seen.model ?? 'unknown model']),
    countOf(seen.calls, 'call'),
    countOf(seen.lineages, 'lineage'),
    ...(seen.changes === 0 ? [] : [`changed ${countOf(seen.changes, 'time')}`]),
    ...(seen.forms.size === 1 ? [] : [`${seen.forms.size} forms, the last is shown`]),
  ];
  const [first = '', ...more] = wrap(`${name}  ${facts.join(' · ')}`, columns);
  return [style.strong(name) + style.faint(first.slice(name.length)), ...more.map(style.faint)];
}

function summaryLines({ seen, price }: PricedHead): string[] {
  const share = seen.input === 0 ? '' : `, ${formatShare(seen.tokens / seen.input)} of the last call's input`;
  const lines = [`  On every call   ${estimate(seen.tokens)} tokens before the first message${share}`];
  if (price === null)
    return [...lines, `  Cost            unknown: no price of ${seen.model ?? 'the model'}`];
  return [
    ...lines,
    `  A call          ${priceWords(seen.tokens, price, 1)}`,
    `  ${MANY_CALLS} calls       ${priceWords(seen.tokens, price, MANY_CALLS)}`,
  ];
}

function emptyHeads(heads: readonly PricedHead[]): string[] {
  const calls = heads.reduce((sum, { parts, seen }) => sum + (parts.length === 0 ? seen.calls : 0), 0);
  return calls === 0 ? [] : [`Nothing stands before the first message of ${countOf(calls, 'call')}.`];
}

function priceColumns(price: FloorPrice | null): Column[] {
  return priceTitles(price).map((title) => ({ title, align: 'end' }));
}

function partLines({ parts, seen, price }: PricedHead, { style, columns }: FloorTextOptions): string[] {
  // Names of tools tell more: they begin alike and differ at their ends.
  const hasShares = columns >= WIDE_COLUMNS;
  const shown = parts.slice(0, MOST_PARTS);
  const rest = parts.slice(MOST_PARTS);
  const restTokens = rest.reduce((sum, { tokens }) => sum + tokens, 0);
  const row = (name: string, tokens: number, tool: MeasuredPart['tool']) => [
    `  ${name}`,
    estimate(tokens),
    ...(hasShares ? [formatShare(seen.tokens === 0 ? null : tokens / seen.tokens)] : []),
    tool === null ? '' : estimate(tool.description),
    tool === null ? '' : estimate(tool.schema),
    ...priceCells(tokens, price),
  ];
  const [head = '', ...lines] = tableLines(
    [
      { title: '  Part', align: 'start', shrinks: true },
      { title: 'tokens', align: 'end' },
      ...(hasShares ? [{ title: 'share', align: 'end' } as const] : []),
      { title: 'description', align: 'end' },
      { title: 'schema', align: 'end' },
      ...priceColumns(price),
    ],
    [
      ...shown.map((part) => row(partName(part), part.tokens, part.tool)),
      ...(rest.length === 0 ? [] : [row(`${rest.length} smaller parts`, restTokens, null)]),
    ],
    columns,
  );
  return [style.accent(head), ...lines];
}

interface TrimRow {
  readonly name: string;
  readonly tokens: number;
  readonly details: string;
}

function trimRows({ neverCalled, keys, descriptions, excess, longDescriptions }: PricedHead): TrimRow[] {
  const sum = (parts: readonly { readonly tokens: number }[]) =>
    parts.reduce((total, { tokens }) => total + tokens, 0);
  const longest = longDescriptions
    .slice(0, MOST_LONG_DESCRIPTIONS)
    .map(({ label, at, tokens }) => `${label}${at === 'description' ? '' : ` ${at}`} ${estimate(tokens)}`);
  const rows = [
    {
      name: `${countOf(neverCalled?.length ?? 0, 'tool')} never called here`,
      tokens: sum(neverCalled ?? []),
      details: listed((neverCalled ?? []).map(({ label }) => label)),
    },
    {
      name: 'Schema keys that no validator needs',
      tokens: sum(keys),
      details: keys.map(({ key, count }) => `${key} ${count}×`).join(', '),
    },
    {
      name: `${countOf(descriptions.count, 'description')} inside schemas`,
      tokens: descriptions.tokens,
      details: '',
    },
    {
      name: `${countOf(excess.count, 'description')} over ${LONG_DESCRIPTION_TOKENS} tokens, cut to that`,
      tokens: excess.tokens,
      details: longest.join(', '),
    },
  ];
  return rows.filter(({ tokens }) => tokens > 0);
}

function trimLines(head: PricedHead, { style, columns }: FloorTextOptions): string[] {
  const rows = trimRows(head);
  if (rows.length === 0) return [];
  const [title = '', ...lines] = tableLines(
    [
      { title: '  Leaving out saves', align: 'start', shrinks: true },
      { title: 'tokens', align: 'end' },
      ...priceColumns(head.price),
    ],
    rows.map(({ name, tokens }) => [`  ${name}`, estimate(tokens), ...priceCells(tokens, head.price)]),
    columns,
  );
  return [
    style.accent(title),
    ...lines.flatMap((line, index) => [
      line,
      ...wrap(rows[index]?.details ?? '', columns - 6).map((text) => style.faint(`      ${text}`)),
    ]),
  ];
}

function listed(names: readonly string[]): string {
  const rest = names.length - MOST_NAMES;
  return [...names.slice(0, MOST_NAMES), ...(rest > 0 ? [`… ${rest} more`] : [])].join(', ');
}

const SORT_WORDS: Readonly<Record<MessageSort, string>> = {
  text: 'text',
  toolCalls: 'tool calls with their arguments',
  toolResults: 'tool results',
  thinking: 'thinking',
  other: 'other',
};

function messageLines({ seen }: PricedHead, { style, columns }: FloorTextOptions): string[] {
  const average = dividedMessages(seen.messages, Math.max(1, seen.calls));
  const sorts = MESSAGE_SORTS.filter((sort) => Math.round(average[sort]) > 0).sort(
    (left, right) => average[right] - average[left],
  );
  if (sorts.length === 0) return [];
  const total = sorts.reduce((sum, sort) => sum + average[sort], 0);
  const words = sorts.map((sort) => `${SORT_WORDS[sort]} ${estimate(average[sort])}`).join(', ');
  const text = `Messages behind it, ${estimate(total)} tokens a call on average: ${words}.`;
  return wrap(text, columns - 2).map((line) => style.faint(`  ${line}`));
}

function otherHeads(heads: readonly PricedHead[], { style, columns }: FloorTextOptions): string[] {
  if (heads.length === 0) return [];
  const shown = heads.slice(0, MOST_LISTED_HEADS);
  const [title = '', ...lines] = tableLines(
    [
      { title: 'Other heads', align: 'start', shrinks: true },
      { title: 'parts', align: 'end' },
      { title: 'calls', align: 'end' },
      { title: 'tokens', align: 'end' },
      { title: `${MANY_CALLS}× read`, align: 'end' },
      { title: `${MANY_CALLS}× not read`, align: 'end' },
    ],
    shown.map(({ seen, parts, price }) => [
      `  ${[seen.phase, seen.model ?? 'unknown model'].filter((part) => part !== null).join(' · ')}`,
      String(parts.length),
      String(seen.calls),
      estimate(seen.tokens),
      ...priceCells(seen.tokens, price),
    ]),
    columns,
  );
  const left = heads.length - shown.length;
  return [style.accent(title), ...lines, ...(left === 0 ? [] : [`  … ${left} more; --json has them all`])];
}

const WARNING =
  'What can be left out overlaps: a tool takes its descriptions with it. The model reads descriptions, titles, defaults and examples: to trim one can change which tool it chooses and with what, and no schema check will fail. Change one, and look at the answers before and after.';
const NEVER_CALLED =
  'A recording may be short, and what the last answer of each conversation called is not in it: a tool that nothing called here can be one to load on demand, not one to delete.';
const HIDDEN = 'Which tools were never called cannot be said: a part of the history lies with the provider.';

function warning({ style, columns }: FloorTextOptions): string[] {
  return wrap(WARNING, columns - 2).map((line, row) => `${row === 0 ? style.bad('! ') : '  '}${line}`);
}

function remarks(heads: readonly PricedHead[], { style, columns }: FloorTextOptions): string[] {
  const texts = [
    ...(heads.some(({ neverCalled }) => (neverCalled?.length ?? 0) > 0) ? [NEVER_CALLED] : []),
    ...(heads.some(({ neverCalled, parts }) => neverCalled === null && parts.some(({ tool }) => tool))
      ? [HIDDEN]
      : []),
    methodWords(heads),
  ];
  return texts.flatMap((text) => wrap(text, columns - 2)).map((line) => style.faint(`  ${line}`));
}

function methodWords(heads: readonly PricedHead[]): string {
  const isMeasured = heads.every(({ seen }) => seen.method === 'usage');
  const dates = [...new Set(heads.flatMap(({ price }) => (price === null ? [] : [price.priceDate])))].sort();
  const method = isMeasured
    ? '~: usage reports the whole call; what each part takes of it is estimated from its text.'
    : '~: estimated from the text, as not every call reports its usage.';
  return dates.length === 0 ? method : `${method} Prices of ${dates.join(', ')}.`;
}
