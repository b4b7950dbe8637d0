/** `prefixtrace proxy --target URL`: records the model calls of whatever is pointed at it, until it is stopped. */

import { parseTarget } from '../../src/proxy/target.ts';
import { isDisabled } from '../../src/switches.ts';
import { type CommandContext, type ExitCode, isColored } from '../command-context.ts';
import { UserError } from '../errors.ts';
import { parsePort } from '../port.ts';
import { forwardProxyOf } from '../proxy/base-urls.ts';
import { findingLine } from '../proxy/finding-line.ts';
import { startObservedProxy } from '../proxy/observed-proxy.ts';
import { onSignals } from '../proxy/signals.ts';
import { createStyle } from '../terminal/style.ts';

export interface ProxyCommandOptions {
  readonly target: string;
  readonly port?: string | undefined;
  readonly log?: string | undefined;
  readonly websockets: boolean;
}

/** For streams that are running when the proxy is stopped. */
const GRACE_MS = 10_000;

export async function runProxy(
  { target, port, log, websockets }: ProxyCommandOptions,
  context: CommandContext,
): Promise<ExitCode> {
  if (isDisabled()) throw new UserError('PREFIXTRACE_DISABLED is set, so nothing would be recorded');
  const url = parseTarget(target);
  if (typeof url === 'string') throw new UserError(`cannot use ${target} as a target: ${url}`);
  const style = createStyle(isColored(context.stdout, context.env));
  const say = (text: string) => context.stdout.write(`${text}\n`);
  const stop = stopSignals();
  const proxy = await startObservedProxy(
    {
      ...{ targets: [{ prefix: '', url }], port: parsePort(port ?? '0'), log, refuseWebSockets: !websockets },
      onFinding: (call) => say(findingLine(call, style)),
    },
    context,
  );
  const forwardProxy = forwardProxyOf(context.env);
  if (forwardProxy !== undefined)
    context.stderr.write(`prefixtrace: ${forwardProxy} is set, and recorded calls do not go through it\n`);
  say(`Recording calls to ${url.href} at ${proxy.url}; ${howToUse(url, proxy.url)}. Ctrl-C stops.`);
  await stop.asked;
  if (proxy.running > 0) say('Waiting for what is running; Ctrl-C again breaks it off.');
  const summary = await proxy.close(AbortSignal.any([stop.insisted, AbortSignal.timeout(GRACE_MS)]));
  stop.forget();
  say(`${summary[0]?.toUpperCase()}${summary.slice(1)}`);
  return 0;
}

function stopSignals(): {
  readonly asked: Promise<void>;
  readonly insisted: AbortSignal;
  readonly forget: () => void;
} {
  const insisted = new AbortController();
  let forget = (): void => undefined;
  let isAsked = false;
  const asked = new Promise<void>((resolve) => {
    forget = onSignals(['SIGINT', 'SIGTERM', 'SIGHUP'], () => {
      if (isAsked) insisted.abort();
      isAsked = true;
      resolve();
    });
  });
  return { asked, insisted: insisted.signal, forget };
}

/** The variable that the clients of the target read, where it is one that we know. */
function howToUse({ hostname, pathname }: URL, proxyUrl: string): string {
  const variable = VARIABLES[hostname];
  if (variable === undefined) return 'set it as the base URL of your client';
  const { name, path = '' } = variable;
  return `start your client with ${name}=${proxyUrl}${pathname.startsWith(path) ? '' : path}`;
}

const VARIABLES: Readonly<Record<string, { readonly name: string; readonly path?: string }>> = {
  'api.anthropic.com': { name: 'ANTHROPIC_BASE_URL' },
  'api.openai.com': { name: 'OPENAI_BASE_URL', path: '/v1' },
  'generativelanguage.googleapis.com': { name: 'GOOGLE_GEMINI_BASE_URL' },
  'api.groq.com': { name: 'GROQ_BASE_URL' },
};
