/**
 * The published table of accuracy: `docs/accuracy.md` is what this test computes, so it cannot grow old. Write it anew
 * with `npx vitest run test/corpus/accuracy.test.ts -u`.
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { diagnoseCase, type LabelledCase, labelledCases, shortcomings } from './labelled-case.ts';

interface Row {
  cases: number;
  right: number;
}

function kindOf({ expect: wanted }: LabelledCase): string {
  if (wanted.control || wanted.reporting || wanted.harmless) return 'nothing to report';
  if (wanted.divergence) return wanted.divergence.kind;
  return wanted.miss === undefined ? 'nothing to report' : `miss: ${wanted.miss}`;
}

it('docs/accuracy.md says how often the engine is right, by kind', async () => {
  const cases = ['public', 'variations'].flatMap((folder) =>
    labelledCases(join(import.meta.dirname, folder)),
  );
  const rows = new Map<string, Row>();
  for (const labelled of cases) {
    const row = rows.get(kindOf(labelled)) ?? { cases: 0, right: 0 };
    row.cases += 1;
    if (shortcomings(labelled, await diagnoseCase(labelled)).length === 0) row.right += 1;
    rows.set(kindOf(labelled), row);
  }
  const all = [...rows.values()].reduce((sum, row) => ({
    cases: sum.cases + row.cases,
    right: sum.right + row.right,
  }));
  const line = (name: string, { cases: count, right }: Row) => `| ${name} | ${count} | ${right} |`;
  const lines = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, row]) => line(`\`${name}\``, row));
  const table = ['| kind | cases | right |', '|---|---:|---:|', ...lines, line('**all**', all)].join('\n');
  const page = `# Accuracy on the labelled corpus

A case counts as right when everything is: component, kind, path, byte offset, finding or silence, miss and rebilled tokens.
The corpus is ${labelledCases(join(import.meta.dirname, 'public')).length} cases from public bug reports and ${
    cases.length - 56
  } variations by authors who had not seen the rules. The rules were improved with it,
so this table says what holds, not how a case fares that nobody has seen; the README has those figures.

${table}
`;
  await expect(page).toMatchFileSnapshot(join(import.meta.dirname, '../../docs/accuracy.md'));
}, 120_000);
