import { render } from 'ink-testing-library';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ReportedCall } from '../../cli/summary/reported-call.ts';
import { createTheme } from '../../cli/ui/theme.ts';
import { type Subscribe, Viewer } from '../../cli/ui/viewer.tsx';
import { reportedCall, weddingCalls } from '../support/reported-calls.ts';
import { SOURCE } from '../support/viewer-state.ts';

const unmounts: (() => void)[] = [];
afterEach(() => {
  for (const unmount of unmounts.splice(0)) unmount();
});

function show() {
  let deliver: (calls: readonly ReportedCall[]) => void = () => undefined;
  const stopped = vi.fn();
  const performRequest = vi.fn(async () => 'Done as asked.');
  const subscribe: Subscribe = ({ onCalls }) => {
    deliver = onCalls;
    onCalls(weddingCalls());
    return stopped;
  };
  const app = render(
    <Viewer
      describeSource={() => SOURCE}
      subscribe={subscribe}
      performRequest={performRequest}
      theme={createTheme(false)}
      size={{ columns: 80, rows: 24 }}
    />,
  );
  unmounts.push(app.unmount);
  const seen = (text: string) => vi.waitFor(() => expect(app.lastFrame()).toContain(text));
  return {
    ...app,
    seen,
    stopped,
    performRequest,
    deliver: (calls: readonly ReportedCall[]) => deliver(calls),
  };
}

describe('the viewer', () => {
  it('shows the overview and opens the worst call of a finding', async () => {
    const { stdin, seen } = show();
    await seen('Fix first');
    stdin.write('\r');
    await seen('call 4 against call 3');
    stdin.write('\x1b');
    await seen('Fix first');
  });

  it('shows calls as they arrive', async () => {
    const { seen, deliver } = show();
    await seen('8 calls');
    deliver([reportedCall({ index: 20 })]);
    await seen('9 calls');
  });

  it('filters while letters are typed as text', async () => {
    const { stdin, seen } = show();
    await seen('8 calls');
    stdin.write('/');
    await seen('/▏');
    stdin.write('ttl_q');
    await seen('/ttl_q▏');
    stdin.write('\x7f');
    await seen('/ttl_▏');
    stdin.write('\r');
    await seen('1 call');
  });

  it('stops reading when it is left', async () => {
    const { stdin, stopped, seen } = show();
    await seen('Fix first');
    stdin.write('q');
    await vi.waitFor(() => expect(stopped).toHaveBeenCalled());
  });
});
