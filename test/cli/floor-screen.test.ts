import { describe, expect, it } from 'vitest';
import { floorPrice } from '../../cli/floor/floor-price.ts';
import { floorAt, floorScreen } from '../../cli/ui/floor-screen.ts';
import { frame, type Line, type Size, widthOfLine } from '../../cli/ui/frame.ts';
import { loadPrices } from '../../src/cost/prices.ts';
import type { FloorPart } from '../../src/diagnosis.ts';
import { reportedCall } from '../support/reported-calls.ts';

const PARTS: readonly FloorPart[] = [
  { component: 'tools', label: 'directory__search', tokens: 1_200 },
  { component: 'tools', label: 'maps__distance', tokens: 300 },
  { component: 'system', label: 'system block 0', tokens: 3_500 },
  { component: 'parameters', label: 'response_format', tokens: 40 },
];
const PRICE = {
  readUsd: 0.3e-6,
  writtenUsd: 3.75e-6,
  uncachedUsd: 3e-6,
  priceModel: 'claude-sonnet-5',
  priceDate: '2026-09-28',
};
const CLASSIC: Size = { columns: 80, rows: 24 };
const call = reportedCall({ index: 0, floor: PARTS });

function textOf(lines: readonly Line[]): string {
  return lines
    .map((line) =>
      line
        .map(({ text }) => text)
        .join('')
        .trimEnd(),
    )
    .join('\n');
}

const drawn = (parts: readonly FloorPart[] | null, size: Size, price: typeof PRICE | null = PRICE) =>
  textOf(frame(floorScreen(parts, call, size, { price }), size));

describe('the floor screen', () => {
  it('shows what each part costs, biggest first', () => {
    expect(drawn(PARTS, CLASSIC)).toMatchInlineSnapshot(`
      " Floor  wedding-42 › researcher · claude-sonnet-5                       4 parts
      ────────────────────────────────────────────────────────────────────────────────
       On every call  ~5,040 tokens before the first message, 25 % of its input
       A call         ~$0.0015 read back · ~$0.019 written · ~$0.015 uncached
       100 calls      ~$0.15 read back · ~$1.89 written · ~$1.51 uncached

       Part                                 tokens  share     100× read  100× written
       system block 0                       ~3,500   69 %        ~$0.10        ~$1.31
       directory__search                    ~1,200   24 %       ~$0.036        ~$0.45
       maps__distance                         ~300    6 %      ~$0.0090        ~$0.11
       response schema (response_format)       ~40    1 %      ~$0.0012       ~$0.015

       What could be left out: \`prefixtrace floor FILE\` on a log that holds the
       prompts.









       ↑↓ scroll  t timeline  y copy  esc back  ? keys  q quit"
    `);
  });

  it('draws bars where there is room', () => {
    expect(drawn(PARTS, { columns: 120, rows: 20 })).toMatchInlineSnapshot(`
      " Floor  wedding-42 › researcher · claude-sonnet-5                                                               4 parts
      ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
       On every call  ~5,040 tokens before the first message, 25 % of its input
       A call         ~$0.0015 read back · ~$0.019 written · ~$0.015 uncached
       100 calls      ~$0.15 read back · ~$1.89 written · ~$1.51 uncached

       Part                                                                         tokens  share     100× read  100× written
       system block 0                     ███████████████████████████████████████   ~3,500   69 %        ~$0.10        ~$1.31
       directory__search                  ▓▓▓▓▓▓▓▓▓▓▓▓▓                             ~1,200   24 %       ~$0.036        ~$0.45
       maps__distance                     ▓▓▓                                         ~300    6 %      ~$0.0090        ~$0.11
       response schema (response_format)  ░                                            ~40    1 %      ~$0.0012       ~$0.015

       █ system  ▓ tool  ░ response schema
       What could be left out: \`prefixtrace floor FILE\` on a log that holds the prompts.





       ↑↓ scroll  t timeline  y copy  esc back  ? keys  q quit"
    `);
  });

  it('shows tokens alone where no price is known', () => {
    const text = drawn(PARTS, CLASSIC, null);
    expect(text).toContain('unknown: no price of claude-sonnet-5');
    expect(text).toMatch(/system block 0 +█+ +~3,500 +69 %/);
    expect(text).not.toContain('$');
  });

  it('says what to do where the parts were not recorded, and says so otherwise where there are none', () => {
    expect(drawn(null, CLASSIC).replace(/\s+/g, ' ')).toContain('run `prefixtrace floor FILE`');
    expect(drawn([], CLASSIC)).toContain('Nothing stands before the first message');
  });

  it.each([40, 60, 63, 64, 80, 99, 100, 300])('fits %i columns, with a name of any length', (columns) => {
    const wide: FloorPart = { component: 'tools', label: '道具'.repeat(200), tokens: 10 };
    const size = { columns, rows: 15 };
    for (const line of frame(floorScreen([...PARTS, wide], call, size, { price: PRICE }), size))
      expect(widthOfLine(line)).toBeLessThanOrEqual(columns);
  });
});

describe('the floor of a lineage', () => {
  it('is that of the newest head up to the call', () => {
    const [first, second] = [PARTS.slice(0, 1), PARTS.slice(1)];
    const calls = [
      reportedCall({ index: 0, floor: first }),
      reportedCall({ index: 1 }),
      reportedCall({ index: 2, floor: second }),
      reportedCall({ index: 3, lineage: 'l2', floor: [] }),
    ];
    const at = (index: number) => floorAt(calls, calls[index] as (typeof calls)[number]);
    expect([at(0), at(1), at(2), at(3)]).toEqual([first, first, second, []]);
    expect(floorAt(calls, reportedCall({ index: 9, lineage: 'l9' }))).toBeNull();
  });

  it('has the price of the model at the time of the call', async () => {
    const price = floorPrice({ model: 'claude-sonnet-4-5', input: 5_000, at: call.at }, await loadPrices());
    expect(price?.uncachedUsd).toBeCloseTo(3e-6, 12);
    expect(price?.readUsd).toBeCloseTo(0.3e-6, 12);
    expect(price?.writtenUsd).toBeCloseTo(3.75e-6, 12);
  });
});
