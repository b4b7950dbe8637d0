/** `view --listen` around the viewer: listening before it is drawn, no longer once it is left, however that came. */
import { beforeEach, expect, it, vi } from 'vitest';
import { run } from '../../cli/run.ts';
import type { CallSource } from '../../cli/sources/call-source.ts';
import type { OtlpReceiverSource } from '../../cli/sources/otlp-receiver.ts';
import { capturedContext } from './captured-context.ts';

const viewer = vi.hoisted(() => ({ run: vi.fn<(source: CallSource) => Promise<void>>() }));
vi.mock('../../cli/ui/run-viewer.ts', () => ({ runViewer: viewer.run }));
beforeEach(() => {
  viewer.run.mockReset();
});

const view = () => {
  const terminal = { isTTY: true, write: () => undefined };
  return run(
    ['view', '--listen', '0'],
    capturedContext({ stdout: terminal, stdin: Object.assign((async function* () {})(), { isTTY: true }) }),
  );
};

it.each([
  ['is left', 0, undefined],
  ['fails', 2, new Error('the terminal is gone')],
])('the port is free again when the viewer %s', async (_how, exitCode, error) => {
  let url = '';
  viewer.run.mockImplementation(async (source) => {
    ({ url } = source as OtlpReceiverSource);
    expect((await fetch(`${url}/v1/traces`, { method: 'POST' })).status).toBe(415);
    if (error) throw error;
  });
  expect(await view()).toBe(exitCode);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  await expect(fetch(url)).rejects.toThrow();
});
