/** `prefixtrace demo`: an agent with known cache bugs, recorded through the public API, and what the report makes of it. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine } from '../../src/diagnose.ts';
import { flush, observeFetch } from '../../src/index.ts';
import { createRecorder } from '../../src/observe/recorder.ts';
import { installRecorder } from '../../src/runtime.ts';
import { createTelemetrySink } from '../../src/telemetry/sink.ts';
import { type CommandContext, type ExitCode, isInteractive } from '../command-context.ts';
import { tellStory } from '../demo/story.ts';
import { startWorld } from '../demo/world.ts';
import { UserError } from '../errors.ts';
import { localStoreSource } from '../sources/local-store.ts';
import { waitForKey } from '../terminal/wait-for-key.ts';
import { printReport } from './report.ts';
import { showViewer } from './view.ts';

export interface DemoOptions {
  readonly view?: boolean | undefined;
}

export async function runDemo(options: DemoOptions, context: CommandContext): Promise<ExitCode> {
  if (context.env.PREFIXTRACE_DISABLED) {
    throw new UserError('PREFIXTRACE_DISABLED is set, so nothing would be recorded; unset it for the demo');
  }
  // Owner-only, as `mkdtemp` makes it, and kept: the report names calls that one may want to look at again.
  const directory = await mkdtemp(join(tmpdir(), 'prefixtrace-demo-'));
  context.stdout.write(
    'A wedding planner with sub-agents talks to a model server in this process: no key, no network.\n\n',
  );
  await record(directory);
  await printReport(localStoreSource(directory, 'demo'), 'text', context);
  context.stdout.write(`\nRecorded in ${directory}\nLook again: prefixtrace view ${directory}\n`);
  if (options.view !== false && isInteractive(context)) {
    context.stdout.write('\nPress Enter to open the viewer, q to quit.');
    if ((await waitForKey(['\r', '\n', 'q', '\x1b', '\x03'])) === '\r') {
      // All is told: nothing will be written to this store any more.
      await showViewer({ ...localStoreSource(directory, 'demo'), canFollow: false }, context);
    }
    context.stdout.write('\n');
  }
  return 0;
}

async function record(directory: string): Promise<void> {
  const world = await startWorld();
  try {
    const sink = createTelemetrySink({ store: { directory } });
    installRecorder(createRecorder({ engine: createEngine(), sink, now: world.nowMs }));
    await tellStory(world, observeFetch());
    await flush();
  } finally {
    await world.close();
  }
}
