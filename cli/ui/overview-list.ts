/** The list of the overview: losses by cause and phase, whoever's doing; then the worst lineages, then all phases. */
import { groupRow } from '../summary/group-row.ts';
import type { CauseGroup } from '../summary/groups.ts';
import type { Breakdown, LineageSummary } from '../summary/summary.ts';
import { formatCount, formatMeasure, formatShare, formatTokens, formatUsd } from '../terminal/format.ts';
import { fitEnd, fitStart, truncateStart, widthOf } from '../terminal/terminal-text.ts';
import type { Line, Size } from './frame.ts';
import { lineageRowId, overviewGroups, selectedId, type ViewerState, worstLineages } from './state.ts';
import { type Role, SHAPES } from './theme.ts';

const FIGURES_WIDTH = 8 + 11 + 10;

/** From here on sections stand apart; on a small screen a row is worth more. */
const SPACIOUS_ROWS = 36;

interface Row {
  readonly id: string | null;
  readonly line: (isChosen: boolean) => Line;
}

interface Section {
  readonly title: string;
  readonly figures: readonly [string, string, string];
  readonly rows: readonly Row[];
}

export function overviewList(
  state: ViewerState,
  size: Size,
): { readonly lines: Line[]; readonly focus: number | null } {
  const { summary } = state;
  const groups = overviewGroups(summary);
  const room = size.columns - FIGURES_WIDTH - 2;
  const causeWidth = Math.min(room - 16, Math.max(16, ...groups.map(({ cause }) => cause.length)) + 2);
  const causes = (members: readonly CauseGroup[]) =>
    members.map(
      (group): Row => ({
        id: group.id,
        line: (isChosen) => groupLine(group, isChosen, causeWidth, room),
      }),
    );
  const lost = ['calls', 'tokens', 'cost'] as const;
  const worst = worstLineages(summary);
  const sections: Section[] = [
    { title: 'Findings', figures: lost, rows: causes(summary.faults) },
    { title: 'Not the prompt', figures: lost, rows: causes(summary.circumstances) },
    { title: 'Meant', figures: lost, rows: causes(summary.declared) },
    {
      title: 'Worst lineages',
      figures: ['calls', 'hit', 'avoidable'],
      rows: worst.map((lineage) => ({
        id: lineageRowId(lineage.name),
        line: (isChosen) => lineageLine(lineage, isChosen, room),
      })),
    },
    {
      title: 'Phases',
      figures: ['calls', 'hit', 'avoidable'],
      rows:
        summary.phases.length < 2
          ? []
          : summary.phases.map((phase) => ({ id: null, line: () => phaseLine(phase, room) })),
    },
  ];
  return listOf(sections, selectedId(state), room, size.rows >= SPACIOUS_ROWS);
}

/** Titles of columns stand where they change. */
function listOf(sections: readonly Section[], chosen: string | undefined, room: number, isSpacious: boolean) {
  const lines: Line[] = [];
  let focus: number | null = null;
  let titles = '';
  for (const { title, figures, rows } of sections) {
    if (rows.length === 0) continue;
    if (isSpacious && lines.length > 0) lines.push([]);
    const wanted = figuresOf(...figures);
    lines.push([{ text: ` ${fitStart(title, room)}${wanted === titles ? '' : wanted}`, role: 'faint' }]);
    titles = wanted;
    for (const { id, line } of rows) {
      const isChosen = id !== null && id === chosen;
      if (isChosen) focus = lines.length;
      lines.push(line(isChosen));
    }
  }
  return { lines, focus };
}

function figuresOf(calls: string, second: string, third: string): string {
  return fitEnd(calls, 8) + fitEnd(second, 11) + fitEnd(third, 10);
}

function row(isChosen: boolean, name: Line, figures: string): Line {
  return [
    { text: isChosen ? SHAPES.selected : ' ', role: 'accent' },
    ...name,
    { text: figures, role: isChosen ? 'title' : 'plain' },
  ];
}

function groupLine(group: CauseGroup, isChosen: boolean, causeWidth: number, room: number): Line {
  const cells = groupRow(group);
  const role: Role = isChosen ? 'title' : 'plain';
  const place = widthOf(cells.place) < room - causeWidth ? cells.place : cells.shortPlace;
  const name: Line = [
    { text: `${fitStart(cells.cause, causeWidth - 2)}  `, role },
    { text: fitStart(place, room - causeWidth), role: isChosen ? 'title' : 'faint' },
  ];
  return row(isChosen, name, figuresOf(cells.calls, cells.tokens, cells.usd));
}

function lineageLine({ totals, words }: LineageSummary, isChosen: boolean, room: number): Line {
  const shown = truncateStart(words, room - 1);
  return row(
    isChosen,
    [{ text: fitStart(shown, room), role: isChosen ? 'title' : 'plain' }],
    partFigures(totals),
  );
}

function phaseLine({ name, totals }: Breakdown, room: number): Line {
  return row(false, [{ text: fitStart(name ?? '(none named)', room) }], partFigures(totals));
}

/** Money where it is known; a loss without a price still has its tokens. */
function partFigures(totals: Breakdown['totals']): string {
  const isLossy = (totals.avoidableTokens.value ?? 0) > 0;
  const lost =
    totals.avoidableUsd.value === null
      ? `${formatMeasure(totals.avoidableTokens, formatTokens)} tok`
      : formatMeasure(totals.avoidableUsd, formatUsd);
  return figuresOf(formatCount(totals.calls), formatShare(totals.hitRate), isLossy ? lost : '');
}
