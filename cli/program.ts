/**
 * The commands, their options and their help. A command's own code loads when it runs, not before:
 * `--help` must not wait for React or a tokenizer.
 */
import { Command, Option } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import type { CommandContext, ExitCode } from './command-context.ts';

const EXIT_CODES = `
Exit codes: 0 fine, 1 found what it was asked to look for, 2 usage or I/O error.`;

const SOURCE_HELP =
  'a folder of recorded calls, or one file: an exchange log or OTLP JSON Lines; `-` is standard input (default: .prefixtrace, or where PREFIXTRACE_DIR says)';

export function createProgram(context: CommandContext, onExit: (code: ExitCode) => void): Command {
  const program = new Command('prefixtrace')
    .description('Why did the prompt cache miss, where exactly, and what did it cost?')
    .version(packageJson.version)
    .option('--debug', 'print stacks of errors')
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      // Commander says `error: …`; ours begin with the program's name, as the shell's own do.
      outputError: (text, write) =>
        write(
          `${text
            .replace(/^error: /, 'prefixtrace: ')
            .trim()
            .replaceAll('\n', ' ')}\n`,
        ),
    })
    .exitOverride()
    .showSuggestionAfterError()
    .addHelpText(
      'after',
      examples(['prefixtrace demo', 'prefixtrace diagnose calls.jsonl', 'prefixtrace view']),
    )
    .addHelpText('after', EXIT_CODES);

  command(
    program,
    'demo',
    'run a small agent with known cache bugs against a built-in model server: no key, no network',
    ['prefixtrace demo', 'prefixtrace demo --no-view'],
  )
    .option('--no-view', 'print the report and stop, also in a terminal')
    .action(async (options: { view: boolean }) => {
      const { runDemo } = await import('./commands/demo.ts');
      onExit(await runDemo(options, context));
    });

  command(program, 'view', 'look through recorded calls in the terminal, live while something writes them', [
    'prefixtrace view',
    'prefixtrace view calls.jsonl',
  ])
    .argument('[source]', SOURCE_HELP)
    .action(async (source: string | undefined) => {
      const { runView } = await import('./commands/view.ts');
      onExit(await runView(source, context));
    });

  command(program, 'report', 'what the cache saved, what it did not, and what to fix first', [
    'prefixtrace report',
    'prefixtrace report calls.jsonl --format markdown >> "$GITHUB_STEP_SUMMARY"',
    'prefixtrace report --json | jq .totals',
  ])
    .argument('[source]', SOURCE_HELP)
    .addOption(
      new Option('--format <format>', 'form of the report')
        .choices(['text', 'markdown', 'json'])
        .default('text'),
    )
    .option('--json', 'the same as --format json')
    .action(
      async (
        source: string | undefined,
        options: { format: 'text' | 'markdown' | 'json'; json?: boolean },
      ) => {
        const { runReport } = await import('./commands/report.ts');
        onExit(await runReport(source, options.json ? 'json' : options.format, context));
      },
    );

  command(program, 'diagnose', 'what diverged in recorded traffic, call by call', [
    'prefixtrace diagnose calls.jsonl',
    'prefixtrace diagnose monday.jsonl tuesday.jsonl --json',
    'zcat calls.jsonl.gz | prefixtrace diagnose - --json',
  ])
    .argument('<file...>', 'exchange logs, in the order in which they were written; `-` is standard input')
    .option('--json', 'print one JSON object and nothing else')
    .option('--excerpts', 'show the text that changed; it is part of the prompts')
    .action(async (files: string[], options: { json?: boolean; excerpts?: boolean }) => {
      const { runDiagnose } = await import('./commands/diagnose.ts');
      onExit(await runDiagnose(files, options, context));
    });

  return program;
}

function command(
  program: Command,
  name: string,
  description: string,
  exampleLines: readonly string[],
): Command {
  return program
    .command(name)
    .description(description)
    .option('--debug', 'print stacks of errors')
    .addHelpText('after', examples(exampleLines));
}

function examples(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;
}
