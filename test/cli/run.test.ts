import { describe, expect, it } from 'vitest';
import { run } from '../../cli/run.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { capturedContext } from './captured-context.ts';

async function prefixtrace(...words: string[]) {
  const context = capturedContext();
  return { exitCode: await run(words, context), out: context.out(), err: context.err() };
}

describe('the command line', () => {
  it('prints help with examples and exit codes', async () => {
    const { exitCode, out, err } = await prefixtrace('--help');
    expect([exitCode, err]).toEqual([0, '']);
    for (const text of [
      'demo',
      'view',
      'report',
      'diagnose',
      'run',
      'proxy',
      'Examples:',
      'Exit codes: 0 fine',
    ])
      expect(out).toContain(text);
  });

  it.each(['demo', 'view', 'report', 'diagnose', 'run', 'proxy'])(
    'has examples in the help of %s',
    async (name) => {
      const { exitCode, out } = await prefixtrace(name, '--help');
      expect(exitCode).toBe(0);
      expect(out).toContain(`$ prefixtrace ${name}`);
    },
  );

  it('prints the version of the package', async () => {
    expect(await prefixtrace('--version')).toEqual({ exitCode: 0, out: `${packageJson.version}\n`, err: '' });
  });

  it.each([
    [['repot'], "prefixtrace: unknown command 'repot' (Did you mean report?)\n"],
    [['diagnose'], "prefixtrace: missing required argument 'file'\n"],
    [
      ['report', '--format', 'pdf'],
      "prefixtrace: option '--format <format>' argument 'pdf' is invalid. Allowed choices are text, markdown, json, html.\n",
    ],
    [['report', 'nowhere.jsonl'], 'prefixtrace: cannot read nowhere.jsonl: no such file\n'],
    [['diagnose', 'nowhere.jsonl'], 'prefixtrace: cannot read nowhere.jsonl: no such file\n'],
    [['diagnose', 'no*.jsonl'], 'prefixtrace: cannot read no*.jsonl: nothing fits this pattern\n'],
  ])('answers %j with one line and exit code 2', async (words, message) => {
    expect(await prefixtrace(...words)).toEqual({ exitCode: 2, out: '', err: message });
  });

  it('prints help and fails when no command is given', async () => {
    const { exitCode, out, err } = await prefixtrace();
    expect([exitCode, out]).toEqual([2, '']);
    expect(err).toContain('Usage: prefixtrace');
  });

  it('prints a stack only with --debug', async () => {
    expect((await prefixtrace('report', 'nowhere.jsonl', '--debug')).err).toMatch(/\n {4}at /);
  });

  it('lets no control character of a file name out', async () => {
    expect((await prefixtrace('report', 'a\x1b[2Jb')).err).toBe(
      'prefixtrace: cannot read ab: no such file\n',
    );
  });
});
