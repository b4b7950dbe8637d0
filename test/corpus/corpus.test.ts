/** Every labelled case of the project: what diverged, where to the byte, why it missed and what it cost. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KNOWN_FAILURES } from './known-failures.ts';
import { diagnoseCase, type LabelledCase, labelledCases, shortcomings } from './labelled-case.ts';

const PUBLIC = join(import.meta.dirname, 'public');
const VARIATIONS = join(import.meta.dirname, 'variations');

const titleOf = (labelled: LabelledCase) => `${labelled.id}: ${labelled.title}`;

describe('the 56 public cases', () => {
  const cases = labelledCases(PUBLIC);

  it('are all there', () => expect(cases).toHaveLength(56));

  for (const labelled of cases) {
    it(titleOf(labelled), async () => {
      expect(shortcomings(labelled, await diagnoseCase(labelled))).toEqual([]);
    });
  }
});

describe.skipIf(!existsSync(VARIATIONS))('variations of the cases', () => {
  const cases = existsSync(VARIATIONS) ? labelledCases(VARIATIONS) : [];

  for (const labelled of cases) {
    const known = KNOWN_FAILURES[labelled.id];
    // A listed failure that has been repaired must leave the list: it fails here until it does.
    it(known === undefined ? titleOf(labelled) : `${titleOf(labelled)} (still fails: ${known})`, async () => {
      const short = shortcomings(labelled, await diagnoseCase(labelled));
      if (known === undefined) expect(short).toEqual([]);
      else expect(short).not.toEqual([]);
    });
  }

  it('has no known failure that is not a case any more', () => {
    const ids = new Set(cases.map(({ id }) => id));
    expect(Object.keys(KNOWN_FAILURES).filter((id) => !ids.has(id))).toEqual([]);
  });
});

describe('every divergence of the corpus', () => {
  const cases = [PUBLIC, VARIATIONS].filter(existsSync).flatMap(labelledCases);

  it('points at one place: the leaf stands at or inside the path', async () => {
    const apart: string[] = [];
    for (const labelled of cases) {
      for (const { divergence } of await diagnoseCase(labelled)) {
        if (divergence && !divergence.leaf.startsWith(divergence.path)) {
          apart.push(`${labelled.id}: ${divergence.leaf} is not in ${divergence.path}`);
        }
      }
    }
    expect(apart).toEqual([]);
  }, 120_000);
});
