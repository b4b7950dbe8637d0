/** Two arms of recorded runs side by side, as data: both forms of the answer print this. */
import { FIGURES, type FigureName, type RunFigures } from './run-figures.ts';
import { chanceOfApart, type Shown, type Spread, shownBy, spreadOf } from './spread.ts';

export interface Run extends RunFigures {
  /** File or store that it was read from. */
  readonly name: string;
  /** Lines and calls of it that could not be read: its sums are too low by them. */
  readonly unreadParts: number;
}

export interface Arm {
  /** As given on the command line. */
  readonly name: string;
  readonly runs: readonly Run[];
}

export interface ComparedFigure {
  readonly name: FigureName;
  readonly a: Spread | null;
  readonly b: Spread | null;
  /** Median of B less median of A. */
  readonly difference: number | null;
  readonly shown: Shown;
}

export interface ArmFinding {
  readonly cause: string;
  /** Runs of the arm in which it occurs. */
  readonly runs: number;
  readonly calls: number;
}

export interface Comparison {
  readonly a: Arm;
  readonly b: Arm;
  readonly figures: readonly ComparedFigure[];
  readonly findingsOnlyInA: readonly ArmFinding[];
  readonly findingsOnlyInB: readonly ArmFinding[];
  /** Chance that the ranges of a figure lie apart where nothing differs. */
  readonly chanceOfApart: number;
}

export function compareArms(a: Arm, b: Arm): Comparison {
  const [findingsA, findingsB] = [findingsOf(a), findingsOf(b)];
  return {
    a,
    b,
    figures: FIGURES.map((name) => compareFigure(name, a, b)),
    findingsOnlyInA: onlyIn(findingsA, findingsB),
    findingsOnlyInB: onlyIn(findingsB, findingsA),
    chanceOfApart: chanceOfApart(a.runs.length, b.runs.length),
  };
}

function compareFigure(name: FigureName, armA: Arm, armB: Arm): ComparedFigure {
  const [a, b] = [armA, armB].map(({ runs }) => spreadOf(runs.map(({ figures }) => figures[name])));
  return {
    name,
    a: a ?? null,
    b: b ?? null,
    difference: a && b ? b.median - a.median : null,
    shown: shownBy(a ?? null, b ?? null),
  };
}

function findingsOf({ runs }: Arm): Map<string, ArmFinding> {
  const found = new Map<string, ArmFinding>();
  for (const run of runs)
    for (const [cause, calls] of run.findings) {
      const before = found.get(cause);
      found.set(cause, { cause, runs: (before?.runs ?? 0) + 1, calls: (before?.calls ?? 0) + calls });
    }
  return found;
}

/** Most frequent first. */
function onlyIn(here: ReadonlyMap<string, ArmFinding>, there: ReadonlyMap<string, ArmFinding>): ArmFinding[] {
  return [...here.values()]
    .filter(({ cause }) => !there.has(cause))
    .sort((left, right) => right.runs - left.runs || right.calls - left.calls);
}
