/** `prefixtrace view [SOURCE]`: the terminal viewer; where there is no terminal, the report. */
import { type CommandContext, type ExitCode, isColored, isInteractive } from '../command-context.ts';
import type { CallSource } from '../sources/call-source.ts';
import { STANDARD_INPUT } from '../sources/input-file.ts';
import { openSource } from '../sources/open-source.ts';
import { printReport } from './report.ts';

export async function runView(path: string | undefined, context: CommandContext): Promise<ExitCode> {
  // Keys and the log cannot both come from standard input.
  const canView = isInteractive(context) && path !== STANDARD_INPUT;
  const source = await openSource(path, context, { mayBeMissing: canView });
  if (!canView) return printReport(source, 'text', context);
  await showViewer(source, context);
  return 0;
}

export async function showViewer(source: CallSource, context: CommandContext): Promise<void> {
  // React's development build, the default, is several times slower and warns on the screen.
  process.env.NODE_ENV ??= 'production';
  const { runViewer } = await import('../ui/run-viewer.tsx');
  await runViewer(source, isColored(context.stdout, context.env));
}
