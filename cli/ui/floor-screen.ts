/** What every call of a lineage pays before its first message, part by part. Pure: the caller looks the price up. */
import type { FloorPart } from '../../src/diagnosis.ts';
import type { FloorPrice } from '../floor/floor-price.ts';
import { estimate, MANY_CALLS, partName, priceCells, priceTitles, priceWords } from '../floor/floor-words.ts';
import { scopeInWords } from '../summary/explain.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
import { countOf, formatShare } from '../terminal/format.ts';
import { fitEnd, fitStart, widthOf, wrap } from '../terminal/terminal-text.ts';
import { fitLine, type Line, type ScreenContent, type Size } from './frame.ts';
import { SHAPES } from './theme.ts';

export interface FloorScreenOptions {
  /** `null`: not known. */
  readonly price: FloorPrice | null;
  readonly scroll?: number;
}

/** The newest floor of the call's lineage up to the call: it stands on the calls with which a head began. */
export function floorAt(calls: Iterable<ReportedCall>, call: ReportedCall): readonly FloorPart[] | null {
  let newest: ReportedCall | undefined;
  for (const other of calls) {
    if (other.lineage !== call.lineage || other.floor === null || other.turn > call.turn) continue;
    if (newest === undefined || other.turn > newest.turn) newest = other;
  }
  return newest?.floor ?? null;
}

const HINTS = '↑↓ scroll  t timeline  y copy  esc back  ? keys  q quit';
const NOTHING_KNOWN =
  'What this head is made of was not recorded: the calls come from usage alone, or were stored by an older version. Record them anew, or run `prefixtrace floor FILE` on a log that holds the prompts.';
const NOTHING_SENT =
  'Nothing stands before the first message: no system prompt, no tools, no response schema.';

export function floorScreen(
  parts: readonly FloorPart[] | null,
  call: ReportedCall,
  size: Size,
  { price, scroll = 0 }: FloorScreenOptions,
): ScreenContent {
  const tokens = (parts ?? []).reduce((sum, part) => sum + part.tokens, 0);
  return {
    title: [
      { text: 'Floor', role: 'title' },
      { text: `  ${scopeInWords(call)} · ${call.model ?? 'unknown model'}`, role: 'faint' },
    ],
    status: parts === null ? [] : [{ text: countOf(parts.length, 'part'), role: 'faint' }],
    body:
      parts === null || parts.length === 0
        ? [[], ...textLines(parts === null ? NOTHING_KNOWN : NOTHING_SENT, size)]
        : [
            ...totalLines(tokens, call, price, size),
            [],
            ...partLines(parts, tokens, price, size),
            ...textLines(
              'What could be left out: `prefixtrace floor FILE` on a log that holds the prompts.',
              size,
            ),
          ],
    focus: null,
    scroll,
    hints: HINTS,
  };
}

const LABEL_WIDTH = 15;

function totalLines(tokens: number, call: ReportedCall, price: FloorPrice | null, size: Size): Line[] {
  const share = formatShare(call.tokens.input === 0 ? null : Math.min(1, tokens / call.tokens.input));
  const rows = [
    ['On every call', `${estimate(tokens)} tokens before the first message, ${share} of its input`],
    ...(price === null
      ? [['Cost', `unknown: no price of ${call.model ?? 'the model'}`]]
      : [
          ['A call', priceWords(tokens, price, 1)],
          [`${MANY_CALLS} calls`, priceWords(tokens, price, MANY_CALLS)],
        ]),
  ] as const;
  return rows.flatMap(([label = '', text = '']) =>
    wrap(text, size.columns - LABEL_WIDTH - 2).map(
      (line, row): Line => [
        { text: ` ${fitStart(row === 0 ? label : '', LABEL_WIDTH)}`, role: 'faint' },
        { text: line },
      ],
    ),
  );
}

const BARS = { system: SHAPES.read, tools: SHAPES.written, parameters: SHAPES.uncached } as const;
const LEGEND: Line = [
  { text: ` ${BARS.system}`, role: 'accent' },
  { text: ' system  ', role: 'faint' },
  { text: BARS.tools, role: 'accent' },
  { text: ' tool  ', role: 'faint' },
  { text: BARS.parameters, role: 'accent' },
  { text: ' response schema', role: 'faint' },
];

const TOKENS_WIDTH = 9;
const SHARE_WIDTH = 7;
const PRICE_WIDTH = 14;
/** Without room for them the bars go first, then the prices: name and tokens stay. */
const LEAST_BAR_WIDTH = 8;
const PRICED_COLUMNS = 64;

function partLines(parts: readonly FloorPart[], total: number, price: FloorPrice | null, size: Size): Line[] {
  const hasPrices = price !== null && size.columns >= PRICED_COLUMNS;
  const figuresWidth = TOKENS_WIDTH + SHARE_WIDTH + (hasPrices ? 2 * PRICE_WIDTH : 0);
  const room = size.columns - figuresWidth - 2;
  const longestName = Math.max(...parts.map((part) => widthOf(partName(part))), LABEL_WIDTH);
  const hasBars = room - longestName - 2 >= LEAST_BAR_WIDTH;
  const nameWidth = hasBars ? longestName : room;
  const barWidth = room - nameWidth - 2;
  const biggestFirst = [...parts].sort((left, right) => right.tokens - left.tokens);
  const most = Math.max(1, biggestFirst[0]?.tokens ?? 0);
  const line = (name: string, bar: Line, tokens: string, share: string, prices: readonly string[]): Line => [
    { text: ` ${fitStart(name, nameWidth)}` },
    ...(barWidth > 0 ? [{ text: '  ' }, ...fitLine(bar, barWidth)] : []),
    {
      text: `${fitEnd(tokens, TOKENS_WIDTH)}${fitEnd(share, SHARE_WIDTH)}${
        hasPrices ? prices.map((text) => fitEnd(text, PRICE_WIDTH)).join('') : ''
      }`,
    },
  ];
  const head = line('Part', [], 'tokens', 'share', priceTitles(price));
  return [
    head.map((piece) => ({ ...piece, role: 'faint' as const })),
    ...biggestFirst.map((part) => {
      const { component, tokens } = part;
      const cells = Math.max(1, Math.round((tokens / most) * Math.max(0, barWidth)));
      const bar: Line = [{ text: BARS[component].repeat(cells), role: 'accent' }];
      return line(partName(part), bar, estimate(tokens), formatShare(total === 0 ? null : tokens / total), [
        ...priceCells(tokens, price),
      ]);
    }),
    [],
    ...(hasBars ? [LEGEND] : []),
  ];
}

function textLines(text: string, size: Size): Line[] {
  return wrap(text, size.columns - 2).map((line): Line => [{ text: ` ${line}`, role: 'faint' }]);
}
