import { render } from 'ink-testing-library';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ClickhouseSummary } from '../../cli/sources/clickhouse/clickhouse-summary.ts';
import { createSourceNotes } from '../../cli/sources/notes.ts';
import { summarySourceOf } from '../../cli/sources/summary-source.ts';
import type { Command } from '../../cli/ui/keys.ts';
import { reduce } from '../../cli/ui/reduce.ts';
import { serverFeed } from '../../cli/ui/server-feed.ts';
import { wantedOf } from '../../cli/ui/server-state.ts';
import { initialState, type ViewerState } from '../../cli/ui/state.ts';
import { createTheme } from '../../cli/ui/theme.ts';
import { Viewer } from '../../cli/ui/viewer.tsx';
import { reportedCall, weddingCalls } from '../support/reported-calls.ts';
import { loaded, press, SOURCE, shown } from '../support/viewer-state.ts';

const unmounts: (() => void)[] = [];
afterEach(() => {
  for (const unmount of unmounts.splice(0)) unmount();
});

/** A server of these calls: it hands out sums, and calls when they are asked for. */
function serverOf(calls = weddingCalls(), overrides: Partial<ClickhouseSummary> = {}): ClickhouseSummary {
  const source = summarySourceOf(calls);
  return {
    ...source,
    notes: createSourceNotes(),
    overview: async (steps) => {
      const { summary, history } = await source.overview(steps);
      return {
        history,
        summary: { ...summary, lineages: summary.lineages.map((lineage) => ({ ...lineage, calls: [] })) },
      };
    },
    ...overrides,
  };
}

function show(summary: ClickhouseSummary, refreshMs?: number) {
  const { subscribe, fetchWanted } = serverFeed({ summary, isLive: true }, refreshMs);
  const app = render(
    <Viewer
      describeSource={() => SOURCE}
      subscribe={subscribe}
      fetchWanted={fetchWanted}
      performRequest={async () => ''}
      theme={createTheme(false)}
      size={{ columns: 80, rows: 24 }}
    />,
  );
  unmounts.push(app.unmount);
  return { ...app, seen: (text: string) => vi.waitFor(() => expect(app.lastFrame()).toContain(text)) };
}

async function stateOf(summary: ClickhouseSummary): Promise<ViewerState> {
  const overview = await summary.overview(24);
  return reduce(reduce(initialState(), { type: 'overview', overview }), { type: 'done' });
}

describe('the viewer on a server', () => {
  it('shows the same overview and the same lineages as it does of calls that it holds', async () => {
    const server = await stateOf(serverOf());
    const local = (...keys: readonly Command[]) => shown(press(loaded(), ...keys)).replace('/ filter  ', '');
    expect(shown(server).trimEnd()).toBe(local().trimEnd());
    expect(shown(press(server, 'lineages')).trimEnd()).toBe(local('lineages').trimEnd());
  });

  it('offers no filter, and says what to do instead when it is asked for', async () => {
    const server = await stateOf(serverOf());
    expect(shown(server)).not.toContain('filter');
    const asked = press(server, 'filter');
    expect(asked.draft).toBeNull();
    expect(shown(asked)).toContain(
      'No filter on a server, which adds up all calls: use --since and --until.',
    );
    expect(shown(press(server, 'lineages'))).not.toContain('filter');
    expect(shown(press(server, 'help'))).not.toContain('filter by thread');
    expect(shown(press(loaded(), 'help'))).toContain('filter by thread');
  });

  it('reads the calls of a timeline when it is opened, and shows the same timeline then', async () => {
    const { stdin, seen, lastFrame } = show(serverOf());
    await seen('Fix first');
    stdin.write('l');
    await seen('Lineages');
    stdin.write('\r');
    await seen('7 calls');
    await vi.waitFor(() => expect(lastFrame()).not.toContain('so far'));
    expect(lastFrame()).toContain('system.timestamp');
  });

  it('opens the worst call of a finding without reading anything more', async () => {
    const lineageCalls = vi.fn();
    const { stdin, seen } = show(serverOf(weddingCalls(), { lineageCalls }));
    await seen('Fix first');
    stdin.write('\r');
    await seen('system[0].text');
    expect(lineageCalls).not.toHaveBeenCalled();
  });

  it('reads a long timeline page by page, as one goes down', async () => {
    const calls = Array.from({ length: 450 }, (_, index) => reportedCall({ index }));
    const server = serverOf(calls);
    let state = press(await stateOf(server), 'lineages', 'open');
    const offsets: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      const wanted = wantedOf(state);
      if (wanted?.what === 'calls') {
        offsets.push(wanted.offset);
        state = reduce(state, {
          type: 'page',
          wanted,
          calls: await server.lineageCalls(wanted.lineage, wanted),
        });
        expect(wantedOf(state)).toBeNull();
      }
      state = press(state, 'last');
    }
    expect(offsets).toEqual([0, 200, 400]);
    expect(shown(state)).toContain('450 calls');
  });

  it('says in the timeline why its calls do not come, and asks again with the next sums', async () => {
    let fails = true;
    const source = summarySourceOf(weddingCalls());
    const server = serverOf(weddingCalls(), {
      lineageCalls: async (lineage, page) => {
        if (fails) throw new Error('http://h:8123 took too long');
        return source.lineageCalls(lineage, page);
      },
    });
    const { stdin, seen, lastFrame } = show(server, 50);
    await seen('Fix first');
    stdin.write('l');
    await seen('Lineages');
    stdin.write('\r');
    await seen('took too long');
    fails = false;
    await vi.waitFor(() => expect(lastFrame()).toContain('system.timestamp'), 3_000);
  });

  it('shows the sums of calls that came since', async () => {
    let calls = weddingCalls();
    const { seen } = show(serverOf([], { overview: async (steps) => serverOf(calls).overview(steps) }), 20);
    await seen('8 calls');
    calls = [...calls, reportedCall({ index: 20 })];
    await seen('9 calls');
  });

  it('says that the server does not answer, and goes on when it does', async () => {
    let fails = true;
    const { seen } = show(
      serverOf([], {
        overview: async (steps) => {
          if (fails) throw new Error('cannot reach http://h:8123 (ECONNREFUSED)');
          return serverOf().overview(steps);
        },
      }),
      20,
    );
    await seen('cannot reach http://h:8123');
    fails = false;
    await seen('Fix first');
  });
});
