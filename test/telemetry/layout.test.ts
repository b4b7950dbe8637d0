import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LayoutRun } from '../../src/diagnosis.ts';
import { formatLayout, parseLayout } from '../../src/telemetry/layout.ts';

const run: fc.Arbitrary<LayoutRun> = fc.record({
  component: fc.constantFrom('tools', 'system', 'messages', 'parameters', 'model'),
  tokens: fc.nat({ max: 2_000_000 }),
  segments: fc.nat({ max: 5000 }),
  shared: fc.boolean(),
});

it('every layout comes back as it was written', () => {
  fc.assert(
    fc.property(fc.array(run), (runs) => {
      expect(parseLayout(formatLayout(runs))).toEqual(runs);
    }),
  );
});

it('is short and readable', () => {
  expect(
    formatLayout([
      { component: 'tools', tokens: 1204, segments: 2, shared: true },
      { component: 'tools', tokens: 0, segments: 1, shared: false },
    ]),
  ).toBe('t2:1204+ t1:0-');
});

it('an empty text is an empty layout, and what is not understood is left out', () => {
  expect(parseLayout('')).toEqual([]);
  expect(parseLayout('x9:1+ t1:5+ future')).toEqual([
    { component: 'tools', tokens: 5, segments: 1, shared: true },
  ]);
});
