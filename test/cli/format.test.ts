import { describe, expect, it } from 'vitest';
import {
  formatDuration,
  formatMeasure,
  formatShare,
  formatTimeOfDay,
  formatTokens,
  formatUsd,
} from '../../cli/terminal/format.ts';

process.env.TZ = 'UTC';

describe('figures', () => {
  it('print unknown as unknown and zero as zero', () => {
    for (const format of [formatUsd, formatTokens, formatShare, formatDuration]) {
      expect(format(null)).toBe('–');
      expect(format(0)).toMatch(/0/);
    }
  });

  it.each([
    [1_234.5, '$1,235'],
    [1.567, '$1.57'],
    [0.0673, '$0.067'],
    [0.00312, '$0.0031'],
    [0.000001, '<$0.0001'],
  ])('give %d dollars the digits that say something', (value, text) => {
    expect(formatUsd(value)).toBe(text);
  });

  it('do not round a share to all or nothing', () => {
    expect(formatShare(0.9991)).toBe('99 %');
    expect(formatShare(0.0004)).toBe('1 %');
    expect(formatShare(1)).toBe('100 %');
  });

  it('say in front what a sum leaves out and what is estimated', () => {
    expect(formatMeasure({ value: 1_200, unknownCalls: 2, isEstimated: true }, formatTokens)).toBe(
      '≥ ~1,200',
    );
    expect(formatMeasure({ value: null, unknownCalls: 2, isEstimated: false }, formatTokens)).toBe('–');
  });

  it('tell time in the zone of the machine', () => {
    expect(formatTimeOfDay('2026-11-30T10:00:09.000Z')).toBe('10:00:09');
    expect(formatTimeOfDay('yesterday')).toBe('–');
    expect([90, 4_200, 41 * 60_000, 3 * 3_600_000].map(formatDuration)).toEqual([
      '90 ms',
      '4.2 s',
      '41 min',
      '3 h',
    ]);
  });
});
