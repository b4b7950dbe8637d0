import { describe, expect, it } from 'vitest';
import type { Command } from '../../cli/ui/keys.ts';
import { reduce } from '../../cli/ui/reduce.ts';
import { initialState, rowIds, selectedRow, topScreen, type ViewerState } from '../../cli/ui/state.ts';
import { reportedCall, weddingCalls } from '../support/reported-calls.ts';

function press(state: ViewerState, ...commands: Command[]): ViewerState {
  return commands.reduce((next, command) => reduce(next, { type: 'command', command, pageRows: 5 }), state);
}

function type(state: ViewerState, text: string): ViewerState {
  return reduce(state, { type: 'typed', text });
}

const loaded = reduce(initialState(), { type: 'calls', calls: weddingCalls() });

describe('moving', () => {
  it('stops at both ends', () => {
    expect(selectedRow(press(loaded, 'up'))).toBe(0);
    expect(selectedRow(press(loaded, 'down', 'down', 'down', 'down', 'down', 'down'))).toBe(3);
    expect(selectedRow(press(loaded, 'last'))).toBe(3);
    expect(selectedRow(press(loaded, 'last', 'first'))).toBe(0);
  });

  it('does nothing on an empty screen', () => {
    expect(selectedRow(press(initialState(), 'down', 'open', 'next', 'last'))).toBe(0);
  });

  it('keeps the chosen row while calls arrive and rows change places', () => {
    const chosen = press(loaded, 'down');
    const id = rowIds(chosen)[selectedRow(chosen)];
    const costlier = weddingCalls()
      .filter(({ divergence }) => divergence?.kind === 'tools.reordered')
      .map((call) => ({
        ...call,
        id: 'new',
        index: 99,
        cost: call.cost && { ...call.cost, rebilledUsd: 9 },
      }));
    const grown = reduce(chosen, { type: 'calls', calls: costlier });
    expect(selectedRow(grown)).toBe(0);
    expect(rowIds(grown)[0]).toBe(id);
  });
});

describe('screens', () => {
  it('open the costliest call of a finding and come back to its row', () => {
    const detail = press(loaded, 'down', 'open');
    expect(topScreen(detail)).toEqual({ name: 'divergence', callId: 'call-2' });
    const back = press(detail, 'back');
    expect(topScreen(back).name).toBe('overview');
    expect(selectedRow(back)).toBe(1);
  });

  it('lead from lineages to a timeline to a call', () => {
    const detail = press(loaded, 'lineages', 'open', 'down', 'down', 'open');
    expect(topScreen(detail)).toEqual({ name: 'divergence', callId: 'call-2' });
    expect(press(detail, 'back', 'back', 'back', 'back').screens).toHaveLength(1);
  });

  it('show the timeline around a call, with that call chosen', () => {
    const timeline = press(loaded, 'open', 'timeline');
    expect(topScreen(timeline)).toEqual({ name: 'timeline', lineage: 'l1', selected: 'call-3' });
  });

  it('open help once and close it with the same key', () => {
    expect(press(loaded, 'help').screens).toHaveLength(2);
    expect(press(loaded, 'help', 'help').screens).toHaveLength(1);
  });

  it('do not pile up when the same one is asked for twice', () => {
    expect(press(loaded, 'lineages', 'lineages').screens).toHaveLength(2);
  });
});

describe('the next of a kind', () => {
  it('goes round the calls with the same cause', () => {
    const first = press(loaded, 'open');
    expect(topScreen(first)).toMatchObject({ callId: 'call-3' });
    expect(topScreen(press(first, 'next'))).toMatchObject({ callId: 'call-4' });
    expect(topScreen(press(first, 'next', 'next'))).toMatchObject({ callId: 'call-3' });
    expect(topScreen(press(first, 'previous'))).toMatchObject({ callId: 'call-4' });
  });

  it('jumps from loss to loss in a timeline, over the calls that were fine', () => {
    const timeline = press(loaded, 'lineages', 'open', 'next');
    expect(topScreen(timeline)).toMatchObject({ selected: 'call-2' });
    expect(topScreen(press(timeline, 'next', 'next', 'next'))).toMatchObject({ selected: 'call-5' });
  });
});

describe('the filter', () => {
  it('is typed, taken with enter, and cleared with escape on the overview', () => {
    const typing = type(press(loaded, 'filter'), 'plan');
    expect(typing.shown).toHaveLength(8);
    const filtered = press(type(typing, 'ner'), 'open');
    expect(filtered.shown.map(({ id }) => id)).toEqual(['call-7']);
    expect(press(filtered, 'back').shown).toHaveLength(8);
  });

  it('is left as it was with escape, and loses its last letter with backspace', () => {
    expect(press(type(press(loaded, 'filter'), 'x'), 'back')).toMatchObject({ filter: '', draft: null });
    expect(press(type(press(loaded, 'filter'), 'ab'), 'erase').draft).toBe('a');
  });

  it('takes letters that are commands elsewhere as text', () => {
    expect(type(press(loaded, 'filter'), 'q')).toMatchObject({ draft: 'q', hasQuit: false });
  });

  it('holds for calls that arrive later', () => {
    const filtered = press(type(press(loaded, 'filter'), 'system.timestamp'), 'open');
    const grown = reduce(filtered, { type: 'calls', calls: [reportedCall({ index: 50 })] });
    expect(grown.calls).toHaveLength(9);
    expect(grown.shown).toHaveLength(2);
  });
});

it('replaces a call that is reported again', () => {
  const again = reduce(loaded, { type: 'calls', calls: [reportedCall({ index: 2 })] });
  expect(again.calls).toHaveLength(8);
  expect(again.summary.faults.map(({ cause }) => cause)).toEqual(['system.timestamp']);
});
