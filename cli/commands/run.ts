/** `prefixtrace run -- COMMAND…`: a command whose model calls are recorded, in whatever language it is written. */

import { isDisabled } from '../../src/switches.ts';
import type { CommandContext } from '../command-context.ts';
import { forwardProxyOf, redirectBaseUrls } from '../proxy/base-urls.ts';
import { startObservedProxy } from '../proxy/observed-proxy.ts';
import { runChild } from '../proxy/run-child.ts';

export interface RunOptions {
  readonly thread?: string | undefined;
  readonly phase?: string | undefined;
  readonly websockets: boolean;
}

/** For what the command left running in the background. */
const GRACE_MS = 500;

/** Standard output is the command's; what there is to say goes to standard error, at the end. */
export async function runCommand(
  words: readonly string[],
  { thread, phase, websockets }: RunOptions,
  context: CommandContext,
): Promise<number> {
  if (isDisabled()) return runChild(words, context.env, context);
  const { targets, variables } = redirectBaseUrls(context.env);
  const say = (text: string) => context.stderr.write(`prefixtrace: ${text}\n`);
  const forwardProxy = forwardProxyOf(context.env);
  if (forwardProxy !== undefined) say(`${forwardProxy} is set, and recorded calls do not go through it`);
  const proxy = await startObservedProxy(
    { targets, scope: { thread, phase }, refuseWebSockets: !websockets },
    context,
  );
  const exitCode = await runChild(words, { ...context.env, ...variables(proxy.url) }, context);
  say(await proxy.close(AbortSignal.timeout(GRACE_MS)));
  return exitCode;
}
