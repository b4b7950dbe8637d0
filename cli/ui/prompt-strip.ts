/**
 * The prompt of one call as a strip in render order: what was shared, where it broke, what was billed again, what is
 * new. Below each component's name; widths follow its tokens, but no component gets too narrow for its name. Pure.
 */
import type { LayoutRun } from '../../src/diagnosis.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
import { runsOf } from './call-bar.ts';
import type { Line } from './frame.ts';
import type { Role } from './theme.ts';

type Component = LayoutRun['component'];

export interface PromptStrip {
  readonly names: Line;
  readonly cells: Line;
}

export function promptStrip(call: ReportedCall, width: number): PromptStrip | null {
  const parts = componentsOf(call.layout);
  const widths = widthsOf(parts, width);
  if (parts.length === 0 || widths === null) return null;
  const roles = rolesOf(call, parts, widths);
  return {
    names: parts.map(({ component }, index) => ({
      text: component.padEnd(widths[index] ?? 0),
      role: 'faint' as const,
    })),
    cells: runsOf(roles),
  };
}

interface Part {
  readonly component: Component;
  readonly tokens: number;
  readonly runs: readonly LayoutRun[];
}

/** Settings are a few tokens: they take room in the strip only where the break is theirs. */
function isShown(run: LayoutRun): boolean {
  const isSetting = run.component === 'model' || run.component === 'parameters';
  return run.shared ? run.tokens > 0 && !isSetting : true;
}

/** Neighbouring runs of one component, in render order. */
function componentsOf(layout: readonly LayoutRun[]): Part[] {
  const parts: { component: Component; tokens: number; runs: LayoutRun[] }[] = [];
  for (const run of layout) {
    if (!isShown(run)) continue;
    const last = parts.at(-1);
    if (last?.component === run.component) {
      last.tokens += run.tokens;
      last.runs.push(run);
    } else parts.push({ component: run.component, tokens: run.tokens, runs: [run] });
  }
  return parts;
}

function widthsOf(parts: readonly Part[], width: number): number[] | null {
  const least = parts.map(({ component }) => component.length + 1);
  const spare = width - least.reduce((sum, cells) => sum + cells, 0);
  if (spare < 0) return null;
  const total = Math.max(
    1,
    parts.reduce((sum, { tokens }) => sum + tokens, 0),
  );
  const widths = parts.map(({ tokens }, index) => (least[index] ?? 0) + Math.floor((tokens / total) * spare));
  const used = widths.reduce((sum, cells) => sum + cells, 0);
  const widest = widths.indexOf(Math.max(...widths));
  widths[widest] = (widths[widest] ?? 0) + width - used;
  return widths;
}

function rolesOf(call: ReportedCall, parts: readonly Part[], widths: readonly number[]): Role[] {
  const rebilled = call.tokens.rebilled ?? 0;
  // Nothing changed, and yet it was not read: what is shared was billed again, but for what was read of it.
  const isLapsed = call.divergence === null && call.miss !== null && rebilled > 0;
  const unsharedTotal = parts
    .flatMap(({ runs }) => runs)
    .reduce((sum, run) => sum + (run.shared ? 0 : run.tokens), 0);
  const newTokens = Math.max(0, unsharedTotal - (isLapsed ? 0 : rebilled));
  const roles: Role[] = [];
  let unshared = 0;
  for (const [index, part] of parts.entries()) {
    const cells = widths[index] ?? 0;
    let tokens = 0;
    const ends = part.runs.map((run) => {
      tokens += run.tokens;
      return tokens / Math.max(1, part.tokens);
    });
    for (let cell = 0; cell < cells; cell++) {
      const run =
        part.runs[
          Math.max(
            0,
            ends.findIndex((end) => (cell + 0.5) / cells <= end),
          )
        ] ?? part.runs[0];
      if (run?.shared) roles.push(isLapsed ? 'written' : 'read');
      else {
        unshared += part.tokens / cells;
        roles.push(unshared > unsharedTotal - newTokens ? 'uncached' : 'written');
      }
    }
  }
  mark(roles, call, isLapsed);
  return roles;
}

function mark(roles: Role[], call: ReportedCall, isLapsed: boolean): void {
  if (isLapsed) {
    const read = Math.floor((roles.length * (call.tokens.cacheRead ?? 0)) / Math.max(1, call.tokens.input));
    roles.fill('read', 0, read);
    roles[Math.min(read, roles.length - 1)] = 'lapse';
  }
  if (call.divergence === null) return;
  const firstUnshared = roles.findIndex((role) => role !== 'read');
  roles[firstUnshared < 0 ? roles.length - 1 : firstUnshared] = 'break';
}
