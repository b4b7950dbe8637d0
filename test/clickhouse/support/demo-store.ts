/** The demo's calls in a store: the story that the demo tells, against its model server. */

import { cp } from 'node:fs/promises';
import { runDemo } from '../../../cli/commands/demo.ts';
import { capturedContext } from '../../cli/captured-context.ts';

export async function runDemoStory(directory: string): Promise<void> {
  const context = capturedContext();
  await runDemo({ view: false }, context);
  const [, recorded = ''] = /Recorded in (\S+)/.exec(context.out()) ?? [];
  await cp(recorded, directory, { recursive: true });
}
