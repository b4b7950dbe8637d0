import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildProgram, type Program } from '../store/child-process.ts';

let program: Program;
beforeAll(async () => {
  program = await buildProgram(new URL('programs/keeps-prefix.ts', import.meta.url));
});
afterAll(() => program.remove());

it('tells node:test what broke the prefix, without a colour, and lets the rest pass', () => {
  const { status, stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=tap', program.file], {
    encoding: 'utf8',
    // Inside node:test's own process a test file would report to its parent instead.
    env: { ...process.env, NODE_OPTIONS: '', NODE_TEST_CONTEXT: undefined },
  });
  expect(status, stdout).toBe(1);
  expect(stdout).toMatch(/^ *ok 1 - grows/m);
  expect(stdout).toMatch(/^ *not ok 2 - changes/m);
  expect(stdout).toContain('call 2 is not call 1 plus growth');
  expect(stdout).toContain('kind:    model.switched');
  expect(stdout).toContain('ERR_ASSERTION');
  expect(stdout).not.toContain('\x1b[');
});
