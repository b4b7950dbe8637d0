import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../cli/run.ts';
import { capturedContext } from '../cli/captured-context.ts';
import { engineWord, hasEngine } from './support/engine.ts';
import { type ServedRun, serveRun } from './support/served-run.ts';

let served: ServedRun | undefined;
let folder: string;
let address: string;

beforeAll(async () => {
  if (!hasEngine) return;
  served = await serveRun();
  ({ folder, address } = served);
});
afterAll(() => served?.close());

async function answer(words: readonly string[]) {
  const context = capturedContext();
  const code = await run(words, context);
  return { code, out: context.out(), err: context.err() };
}

const RANGE = ['--since', '2026-11-30', '--until', '2026-12-01'];

describe.skipIf(!hasEngine)(`the commands on a server over HTTP${engineWord}`, () => {
  it.each(['text', 'markdown'])(
    'report prints what it prints for the local store, as %s',
    async (format) => {
      const local = await answer(['report', folder, '--format', format]);
      const server = await answer(['report', '--source', address, ...RANGE, '--format', format]);
      const withoutTitle = (text: string) => text.split('\n').slice(1).join('\n');
      expect(server.err).toBe('');
      expect(withoutTitle(server.out)).toBe(withoutTitle(local.out));
    },
    60_000,
  );

  it('check judges as it judges the local store', async () => {
    const limits = ['--max-findings', '1', '--max-rebilled', '50000', '--min-hit', '0.5'];
    const local = await answer(['check', folder, ...limits]);
    const server = await answer(['check', '--source', address, ...RANGE, ...limits]);
    expect(server).toEqual(local);
    expect(local.code).toBe(1);
  }, 60_000);
});
