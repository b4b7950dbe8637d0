/** Programs that know nothing of us, run with `node --import prefixtrace/register`, as built. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ModelServer, startModelServer } from '../../src/model-server/index.ts';

const run = promisify(execFile);
const DIST = join(import.meta.dirname, '../../dist');
/** Inside the project, so that the program finds the SDKs. */
const folder = await mkdtemp(join(import.meta.dirname, '.register-'));
let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

let programs = 0;

async function observed(program: string, environment: Record<string, string> = {}) {
  programs += 1;
  const file = join(folder, `program-${programs}.mjs`);
  const store = join(folder, `store-${programs}`);
  await writeFile(file, program);
  const env = { ...process.env, URL_OF_SERVER: server.url, PREFIXTRACE_DIR: store, ...environment };
  const { stdout, stderr } = await run(process.execPath, ['--import', join(DIST, 'register.js'), file], {
    env,
  });
  const report = await run(process.execPath, [join(DIST, 'cli/main.js'), 'report', store, '--json']).then(
    (ended) => JSON.parse(ended.stdout) as Record<string, unknown>,
    () => undefined,
  );
  return { stdout, stderr, report };
}

const TWO_CALLS = `
const ask = (client, time) => client.messages.create({ model: 'claude-opus-5', max_tokens: 8,
  system: 'It is ' + time + '. ' + 'Be brief. '.repeat(2000), cache_control: { type: 'ephemeral' }, messages: [{ role: 'user', content: 'hi' }] });
`;

describe('prefixtrace/register', () => {
  it('observes a program without a line of code in it, and prints nothing', async () => {
    const { stdout, stderr, report } = await observed(`
      import Anthropic from '@anthropic-ai/sdk';
      ${TWO_CALLS}
      const client = new Anthropic({ apiKey: 'k', baseURL: process.env.URL_OF_SERVER });
      await ask(client, '10:00'); await ask(client, '10:01');
      console.log('done');
    `);
    expect(stdout).toBe('done\n');
    expect(stderr).toBe('');
    expect(JSON.stringify(report)).toContain('system.timestamp');
  });

  it('does not count a call twice that a wrapped client makes', async () => {
    const before = server.requests.length;
    const { report } = await observed(`
      import Anthropic from '@anthropic-ai/sdk';
      import { observe } from '${join(DIST, 'index.js')}';
      ${TWO_CALLS}
      const client = observe(new Anthropic({ apiKey: 'k', baseURL: process.env.URL_OF_SERVER }));
      await ask(client, '10:00'); await ask(client, '10:01');
    `);
    expect(server.requests.length - before).toBe(2);
    expect(report?.totals).toMatchObject({ calls: 2 });
  });

  it('keeps its hands off with PREFIXTRACE_DISABLED=1', async () => {
    const { stdout, report } = await observed(
      `const before = globalThis.fetch; console.log(before.name, String(before).includes('native') || before.length >= 0);`,
      { PREFIXTRACE_DISABLED: '1' },
    );
    expect(stdout).toMatch(/^fetch true/);
    expect(report).toBeUndefined();
  });

  it('leaves all other traffic of the program alone', async () => {
    const { stdout, report } = await observed(`
      const response = await fetch(process.env.URL_OF_SERVER + '/health', { method: 'POST', body: 'x' });
      console.log(response.status);
    `);
    expect(stdout).toBe('404\n');
    expect(report).toBeUndefined();
  });
});
