/**
 * A proxy whose calls are diagnosed as they pass, recorded in the local store, and counted. What `proxy` and `run` have in
 * common.
 */
import type { OpenCall } from '../../src/call-sink.ts';
import type { ExchangeRequest } from '../../src/exchange.ts';
import { type ProxyOptions, type ReverseProxy, startProxy } from '../../src/proxy/proxy.ts';
import { installRecorder, liveRecorder, shutdown } from '../../src/runtime.ts';
import { storeDirectory } from '../../src/store/directory.ts';
import { createTelemetrySink } from '../../src/telemetry/sink.ts';
import type { CommandContext } from '../command-context.ts';
import { cannotListen } from '../port.ts';
import { toReportedCall } from '../sources/exchange-log.ts';
import { resolvePath } from '../sources/input-file.ts';
import { viewCommand } from '../sources/view-command.ts';
import type { ReportedCall } from '../summary/reported-call.ts';
import { countOf } from '../terminal/format.ts';
import { plainData } from '../terminal/terminal-text.ts';
import { type ExchangeLogFile, openExchangeLog } from './exchange-log-file.ts';
import { EMPTY_TALLY, tallyInWords, withCall } from './tally.ts';
import { watchedSink } from './watched-sink.ts';

export interface ObservedProxyOptions extends Omit<ProxyOptions, 'recorder'> {
  /** Where to write an exchange log besides. */
  readonly log?: string | undefined;
  readonly onFinding?: ((call: ReportedCall) => void) | undefined;
}

export interface ObservedProxy {
  readonly url: string;
  readonly running: number;
  /** Ends the proxy as `ReverseProxy.close` does, records what is left, and says in a line what passed. */
  close(signal: AbortSignal): Promise<string>;
}

export async function startObservedProxy(
  options: ObservedProxyOptions,
  context: CommandContext,
): Promise<ObservedProxy> {
  const { port, onFinding } = options;
  let tally = EMPTY_TALLY;
  const log = options.log === undefined ? undefined : await openExchangeLog(options.log, context);
  const store = { directory: resolvePath(storeDirectory(context.env), context) };
  const count: OpenCall['end'] = (diagnosed) => {
    if ('unreadable' in diagnosed) {
      tally = { ...tally, unreadable: tally.unreadable + 1 };
      return;
    }
    const call = toReportedCall(plainData(diagnosed));
    tally = withCall(tally, call);
    if (call.finding) onFinding?.(call);
  };
  const logged = (request: ExchangeRequest): OpenCall['end'] => {
    return (diagnosed, response) => {
      log?.write({ ...request, response });
      count(diagnosed, response);
    };
  };
  const sink = watchedSink(createTelemetrySink({ store }), log === undefined ? () => count : logged);
  const recorder = liveRecorder(sink);
  installRecorder(recorder);
  const proxy = await listening(startProxy({ ...options, recorder }), port, log);
  return {
    url: proxy.url,
    get running() {
      return proxy.running;
    },
    async close(signal) {
      await proxy.close(signal);
      await shutdown();
      await log?.close();
      const hasSeen = tally.calls + tally.unreadable > 0;
      const summary = hasSeen
        ? `${tallyInWords(tally)}. Look closer: ${viewCommand(store.directory, context)}`
        : 'no model call came through';
      return summary + unreadInWords(proxy);
    },
  };
}

async function listening(
  starting: Promise<ReverseProxy>,
  port: number | undefined,
  log: ExchangeLogFile | undefined,
): Promise<ReverseProxy> {
  try {
    return await starting;
  } catch (error) {
    await shutdown();
    await log?.close();
    throw cannotListen(port ?? 0, error);
  }
}

function unreadInWords({ unread }: ReverseProxy): string {
  const parts = [
    ...(unread.calls === 0 ? [] : [countOf(unread.calls, 'call')]),
    ...(unread.webSockets === 0 ? [] : [countOf(unread.webSockets, 'WebSocket')]),
  ];
  const hint = unread.webSockets === 0 ? '' : '; with --no-websockets, clients such as Codex speak HTTP';
  return parts.length === 0 ? '' : ` (${parts.join(' and ')} passed unread${hint})`;
}
