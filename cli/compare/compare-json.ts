/** The answer of `compare` as data. */
import type { Arm, ArmFinding, Comparison } from './comparison.ts';
import { FIGURES } from './run-figures.ts';
import type { Spread } from './spread.ts';

export function compareJson(comparison: Comparison): string {
  const { a, b, figures, findingsOnlyInA, findingsOnlyInB, chanceOfApart } = comparison;
  return `${JSON.stringify(
    {
      version: 1,
      a: armJson(a),
      b: armJson(b),
      figures: Object.fromEntries(
        figures.map(({ name, a: spreadA, b: spreadB, difference, shown }) => [
          name,
          { a: spreadJson(spreadA), b: spreadJson(spreadB), difference, shown },
        ]),
      ),
      findingsOnlyIn: { a: findingsOnlyInA.map(findingJson), b: findingsOnlyInB.map(findingJson) },
      chanceOfApart,
    },
    null,
    2,
  )}\n`;
}

function armJson({ name, runs }: Arm) {
  return {
    name,
    runs: runs.map((run) => ({
      name: run.name,
      unreadParts: run.unreadParts,
      figures: Object.fromEntries(
        FIGURES.map((figure) => {
          const { value, isEstimated } = run.figures[figure];
          return [figure, { value, estimated: isEstimated }];
        }),
      ),
      findings: Object.fromEntries(run.findings),
    })),
  };
}

function spreadJson(spread: Spread | null) {
  if (spread === null) return null;
  const { isEstimated, ...rest } = spread;
  return { ...rest, estimated: isEstimated };
}

function findingJson({ cause, runs, calls }: ArmFinding) {
  return { cause, runs, calls };
}
