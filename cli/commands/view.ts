/**
 * `prefixtrace view [SOURCE]`: the terminal viewer; where there is no terminal, the report. With `--listen` the calls come
 * from programs that export their traces to here.
 */
import { type CommandContext, type ExitCode, isColored, isInteractive } from '../command-context.ts';
import { UserError } from '../errors.ts';
import { parsePort } from '../port.ts';
import type { CallSource } from '../sources/call-source.ts';
import { STANDARD_INPUT } from '../sources/input-file.ts';
import { openSource } from '../sources/open-source.ts';
import { refuseRange, type ServerOptions } from '../sources/server-options.ts';
import { printReport, reportOnServer } from './report.ts';

export interface ViewOptions extends ServerOptions {
  /** A port; `true`: the usual one. */
  readonly listen?: string | true | undefined;
}

export async function runView(
  named: readonly string[],
  options: ViewOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { listen } = options;
  if (options.source !== undefined) return viewServer(named, options, context);
  refuseRange(options);
  if (listen !== undefined) return viewReceived(named[0], listen, context);
  // Keys and the log cannot both come from standard input.
  const canView = isInteractive(context) && !named.includes(STANDARD_INPUT);
  const source = await openSource(named, context, { mayBeMissing: canView });
  if (!canView) return printReport(source, 'text', context);
  await showViewer(source, context);
  return 0;
}

async function viewServer(
  named: readonly string[],
  options: ViewOptions,
  context: CommandContext,
): Promise<ExitCode> {
  if (options.listen !== undefined)
    throw new UserError('--listen shows what programs send, not a server: leave one of the two out');
  if (!isInteractive(context)) return reportOnServer(named, 'text', context, options);
  const { withServer } = await import('../sources/clickhouse/open-server.ts');
  // The screen is the viewer's: no line of progress beside it.
  const quiet = { env: context.env, stderr: { write: (text: string) => context.stderr.write(text) } };
  return withServer<ExitCode>(named, options, quiet, async (server) => {
    // React's development build, the default, is several times slower and warns on the screen.
    process.env.NODE_ENV ??= 'production';
    const { runServerViewer } = await import('../ui/run-viewer.ts');
    await runServerViewer(server, {
      isColored: isColored(context.stdout, context.env),
      workingDirectory: context.workingDirectory,
    });
    return 0;
  });
}

async function viewReceived(
  path: string | undefined,
  listen: string | true,
  context: CommandContext,
): Promise<ExitCode> {
  const port = listen === true ? undefined : parsePort(listen);
  if (path !== undefined)
    throw new UserError(`--listen shows what programs send, not ${path}: leave one of the two out`);
  if (!isInteractive(context))
    throw new UserError(
      'view --listen needs a terminal; without one, record with observe() or a collector and use `prefixtrace report`',
    );
  const { otlpReceiverSource } = await import('../sources/otlp-receiver.ts');
  const source = await otlpReceiverSource({ port });
  try {
    await showViewer(source, context);
  } finally {
    await source.close();
  }
  return 0;
}

export async function showViewer(source: CallSource, context: CommandContext): Promise<void> {
  // React's development build, the default, is several times slower and warns on the screen.
  process.env.NODE_ENV ??= 'production';
  const { runViewer } = await import('../ui/run-viewer.ts');
  await runViewer(source, {
    isColored: isColored(context.stdout, context.env),
    workingDirectory: context.workingDirectory,
  });
}
