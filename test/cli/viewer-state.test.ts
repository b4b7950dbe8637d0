import { describe, expect, it } from 'vitest';
import { reduce } from '../../cli/ui/reduce.ts';
import { initialState, rowIds, selectedRow, topScreen } from '../../cli/ui/state.ts';
import { reportedCall, weddingCalls } from '../support/reported-calls.ts';
import { loaded as load, press, type } from '../support/viewer-state.ts';

const loaded = load();

describe('moving', () => {
  it('stops at both ends', () => {
    const last = rowIds(loaded).length - 1;
    expect(selectedRow(press(loaded, 'up'))).toBe(0);
    expect(selectedRow(press(loaded, 'down', 'down', 'down', 'down', 'down', 'down', 'down'))).toBe(last);
    expect(selectedRow(press(loaded, 'last'))).toBe(last);
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
    expect(topScreen(detail)).toMatchObject({ name: 'divergence', callId: 'call-2' });
    const back = press(detail, 'back');
    expect(topScreen(back).name).toBe('overview');
    expect(selectedRow(back)).toBe(1);
  });

  it('lead from lineages to a timeline to a call', () => {
    const detail = press(loaded, 'lineages', 'open', 'down', 'down', 'open');
    expect(topScreen(detail)).toMatchObject({ name: 'divergence', callId: 'call-2' });
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
    expect(press(type(press(loaded, 'filter'), 'ab'), 'erase').draft?.text).toBe('a');
  });

  it('takes letters that are commands elsewhere as text', () => {
    expect(type(press(loaded, 'filter'), 'q')).toMatchObject({ draft: { text: 'q' }, hasQuit: false });
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

describe('a jump', () => {
  const jump = (target: string, from = loaded) => press(type(press(from, 'jump'), target), 'open');

  it('goes to the call of that number in the lineage at hand', () => {
    const timeline = press(loaded, 'lineages', 'open');
    expect(topScreen(jump('3', timeline))).toMatchObject({ name: 'divergence', callId: 'call-2' });
  });

  it('goes to a lineage, a kind or a screen by name', () => {
    expect(topScreen(jump('planner'))).toMatchObject({ name: 'timeline', lineage: 'l2' });
    expect(topScreen(jump('reordered'))).toMatchObject({ name: 'divergence', callId: 'call-2' });
    expect(topScreen(jump('lineages')).name).toBe('lineages');
    expect(jump('overview', press(loaded, 'lineages', 'open')).screens).toHaveLength(1);
  });

  it('says what it did not find and stays', () => {
    const stayed = jump('nonsense');
    expect(topScreen(stayed).name).toBe('overview');
    expect(stayed.message).toBe('No call, lineage, kind or screen is called “nonsense”.');
  });
});

describe('comparing', () => {
  it('takes the marked call and the next one, the older first', () => {
    const marked = press(loaded, 'lineages', 'open', 'last', 'compare');
    expect(marked.message).toBe('Call 7 is marked: choose another one and press c.');
    expect(topScreen(press(marked, 'first', 'compare'))).toMatchObject({
      name: 'compare',
      beforeId: 'call-0',
      afterId: 'call-6',
    });
  });

  it('of a call with itself takes the mark away', () => {
    expect(press(loaded, 'open', 'compare', 'compare')).toMatchObject({ markedId: null });
  });
});

describe('lineages', () => {
  it('are sorted by one column after the other, and the other way round', () => {
    const first = (state: typeof loaded) => rowIds(state)[0];
    const lineages = press(loaded, 'lineages');
    expect(first(lineages)).toBe('l1');
    const byCalls = press(lineages, 'sort', 'sort', 'sort', 'sort');
    expect(byCalls.sort.by).toBe('calls');
    expect(first(byCalls)).toBe('l1');
    expect(first(press(byCalls, 'reverse'))).toBe('l2');
    expect(first(press(byCalls, 'sort'))).toBe('l2'); // seen last
  });
});

describe('the first of a kind', () => {
  it('is found from any call of it', () => {
    const second = press(loaded, 'open', 'next');
    expect(topScreen(second)).toMatchObject({ callId: 'call-4' });
    expect(topScreen(press(second, 'firstOfKind'))).toMatchObject({ callId: 'call-3' });
  });
});

describe('a screen without a choice', () => {
  it('scrolls to its end and no further', () => {
    const help = press(loaded, 'help', 'last', 'down', 'down');
    const scrolled = topScreen(help);
    expect('scroll' in scrolled && scrolled.scroll).toBeGreaterThan(0);
    expect(topScreen(press(help, 'up'))).toMatchObject({
      scroll: ('scroll' in scrolled ? scrolled.scroll : 0) - 1,
    });
  });
});

describe('a failure while reading', () => {
  it('keeps what was read', () => {
    const failed = reduce(loaded, { type: 'failed', reason: 'permission denied' });
    expect(failed.shown).toHaveLength(8);
    expect(failed).toMatchObject({ isDone: true, failure: 'permission denied' });
  });
});

describe('what is asked for outside', () => {
  it('is asked once a press', () => {
    expect(press(loaded, 'copy').request).toEqual({ number: 1, what: 'copy' });
    expect(press(loaded, 'copy', 'export').request).toEqual({ number: 2, what: 'export' });
  });
});

describe('the floor', () => {
  it('opens from any call, and from a lineage', () => {
    expect(topScreen(press(loaded, 'open', 'floor'))).toMatchObject({ name: 'floor', callId: 'call-3' });
    expect(topScreen(press(loaded, 'lineages', 'floor'))).toMatchObject({ name: 'floor', callId: 'call-6' });
  });
});
