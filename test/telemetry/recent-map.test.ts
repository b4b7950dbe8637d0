import { expect, it } from 'vitest';
import { RecentMap } from '../../src/telemetry/recent-map.ts';

it('forgets the entry that was used longest ago, one at a time', () => {
  const map = new RecentMap<number, string>(2);
  map.set(0, 'a');
  map.set(1, 'b');
  map.get(0);
  map.set(2, 'c');
  expect([0, 1, 2].map((key) => map.get(key))).toEqual(['a', undefined, 'c']);
});
