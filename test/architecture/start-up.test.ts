/** What `import 'prefixtrace'` and `prefixtrace --help` load. Needs the build, as `npm test` makes it. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { bundleSize } from '../bench/bundle-size.mjs';

const dist = resolve(
  dirname(fileURLToPath(import.meta.url)),
  '../..',
  process.env.PREFIXTRACE_DIST ?? 'dist',
);
const isBuilt = existsSync(join(dist, 'index.js'));

/** The packages whose files a process has loaded, by `import` and by `require`. */
const TELL_PACKAGES = `
import { createRequire, register } from 'node:module';
const hooks = "export async function load(url, context, next) { process._rawDebug('loaded ' + url); return next(url, context); }";
register('data:text/javascript,' + encodeURIComponent(hooks));
process.on('exit', () => { for (const file of Object.keys(createRequire(process.execPath).cache)) process._rawDebug('loaded ' + file); });
`;

function packagesOf(words: readonly string[]): string[] {
  const hook = `data:text/javascript,${encodeURIComponent(TELL_PACKAGES)}`;
  const { stderr, status } = spawnSync(process.execPath, ['--import', hook, ...words], { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  const names = [...stderr.matchAll(/^loaded .*node_modules\/((?:@[^/]+\/)?[^/]+)\//gm)].map(
    ([, name]) => name,
  );
  return [...new Set(names as string[])].sort();
}

describe.skipIf(!isBuilt)('start-up (skipped without a build)', () => {
  it("`import 'prefixtrace'` loads no package: no React, no tokenizer, nothing of OpenTelemetry", () => {
    const entry = pathToFileURL(join(dist, 'index.js')).href;
    expect(packagesOf(['--input-type=module', '--eval', `await import('${entry}')`])).toEqual([]);
  });

  it('`prefixtrace --help` loads the parser of its words and nothing else', () => {
    expect(packagesOf([join(dist, 'cli/main.js'), '--help'])).toEqual(['commander']);
  });

  it('tells the version of the package', () => {
    const { stdout } = spawnSync(process.execPath, [join(dist, 'cli/main.js'), '--version'], {
      encoding: 'utf8',
    });
    expect(stdout.trim()).toBe(packageJson.version);
  });

  it('keeps the main entry within its budget', () => {
    const { bytes, files } = bundleSize(join(dist, 'index.js'));
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(170_000);
    expect(files).toBeLessThanOrEqual(2);
  });
});
