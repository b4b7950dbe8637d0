// What it costs to start: fresh processes, the middle one of many. Processes that load nothing are measured in turn with them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleSize } from './bundle-size.mjs';
import { median } from './figures.mjs';

function timed(words) {
  const startedAtMs = performance.now();
  const { status, stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`node ${words.join(' ')} ended with exit code ${status}`);
  return { wallMs: performance.now() - startedAtMs, stdout };
}

const importing = (address) => [
  '--input-type=module',
  '--eval',
  `const startedAtMs = performance.now(); await import(${JSON.stringify(address)}); console.log(performance.now() - startedAtMs);`,
];

export async function measureStartup({ dist, starts, say }) {
  const entry = join(dist, 'index.js');
  const folder = mkdtempSync(join(tmpdir(), 'prefixtrace-startup-'));
  const emptyFile = join(folder, 'empty.mjs');
  writeFileSync(emptyFile, 'export {};\n');
  const cases = {
    nothing: ['--eval', '0'],
    emptyFile: importing(pathToFileURL(emptyFile).href),
    import: importing(pathToFileURL(entry).href),
    help: [join(dist, 'cli/main.js'), '--help'],
  };
  const times = Object.fromEntries(Object.keys(cases).map((name) => [name, { wall: [], inside: [] }]));
  for (let start = 0; start < starts + 1; start += 1) {
    say(`start ${start} of ${starts}`);
    for (const [name, words] of Object.entries(cases)) {
      const { wallMs, stdout } = timed(words);
      // The first round brings the files into memory.
      if (start === 0) continue;
      times[name].wall.push(wallMs);
      if (name !== 'help') times[name].inside.push(Number(stdout));
    }
  }
  rmSync(folder, { recursive: true });
  const of = (values) => Number(median(values).toFixed(2));
  return {
    starts,
    importMs: of(times.import.inside),
    emptyFileMs: of(times.emptyFile.inside),
    nodeMs: of(times.nothing.wall),
    helpMs: of(times.help.wall),
    helpToNode: of(times.help.wall.map((wallMs, at) => wallMs / times.nothing.wall[at])),
    bundle: bundleSize(entry),
  };
}
