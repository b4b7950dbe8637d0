/** The alerts over made series, in Prometheus' own words: `alerts-data.yaml` says which are raised and what they say. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
const data = fileURLToPath(new URL('alerts-data.yaml', import.meta.url));

it.skipIf(!hasPromtool)(
  `the alerts for operators are raised by losses alone${hasPromtool ? '' : ' (skipped: no promtool on this machine)'}`,
  () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', data], { encoding: 'utf8' });
    expect(`${stdout}${stderr}`).toContain('SUCCESS');
    expect(status).toBe(0);
  },
);
