/**
 * The commands, their options and their help. A command's own code loads when it runs, not before:
 * `--help` must not wait for React or a tokenizer.
 */
import { Command, Option } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import type { CommandContext } from './command-context.ts';
import type { CheckOptions } from './commands/check.ts';

const EXIT_CODES = `
Exit codes: 0 fine, 1 found what it was asked to look for, 2 usage or I/O error.`;

const SOURCE_HELP =
  'a folder of recorded calls, or one file: an exchange log or OTLP JSON Lines; `-` is standard input (default: .prefixtrace, or where PREFIXTRACE_DIR says)';

const CHECK_FILES_HELP =
  'exchange logs, in the order in which they were written, or folders of recorded calls (default: .prefixtrace)';

const CHECK_HELP = `
What could not be measured (calls without usage, bodies that cannot be read, skipped lines, no calls at all) fails, and is said.
Where GITHUB_STEP_SUMMARY names a file, a Markdown summary is added to it.`;

const NO_WEBSOCKETS_HELP =
  'refuse WebSockets, which pass unread: clients such as Codex then speak HTTP, which is read';

const RUN_HELP = `
The command finds the recording proxy by ANTHROPIC_BASE_URL, OPENAI_BASE_URL, GOOGLE_GEMINI_BASE_URL and the like; where one
is set already, its value is where the calls go. The exit code is the command's own.`;

const PROXY_HELP = `
A request may say who is calling, in the headers x-prefixtrace-thread, x-prefixtrace-phase and x-prefixtrace-delegation;
they go no further than the proxy.`;

export function createProgram(context: CommandContext, onExit: (code: number) => void): Command {
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
    .enablePositionalOptions()
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

  command(program, 'check', 'hold recorded calls to limits, for CI: exit 1 when they fall short', [
    'prefixtrace check calls.jsonl',
    'prefixtrace check calls.jsonl --max-rebilled 50000 --min-hit 0.8',
    'prefixtrace check calls.jsonl --baseline prefixtrace-baseline.json --update-baseline',
    'prefixtrace check calls.jsonl --format sarif > prefixtrace.sarif',
  ])
    .argument('[file...]', CHECK_FILES_HELP)
    .option(
      '--max-findings <n>',
      'calls with a new finding that are allowed (default: 0, where no other limit is named)',
    )
    .option('--max-rebilled <n>', 'tokens that new findings may bill again, in all')
    .option('--min-hit <share>', 'least share of input tokens that must come from the cache, from 0 to 1')
    .option('--baseline <file>', 'known findings, which count towards no maximum; commit it beside the code')
    .option('--update-baseline', 'write what is found now into the baseline file')
    .option('--allow-unmeasured', 'let pass what could not be measured')
    .addOption(
      new Option(
        '--format <format>',
        'form of the answer (default: text; with GITHUB_ACTIONS=true github, which is text and annotations)',
      ).choices(['text', 'github', 'sarif', 'markdown', 'json']),
    )
    .option('--json', 'the same as --format json')
    .addHelpText('after', CHECK_HELP)
    .action(async (files: string[], options: CheckOptions) => {
      const { runCheck } = await import('./commands/check.ts');
      onExit(await runCheck(files, options, context));
    });

  command(program, 'run', 'run a command, in whatever language it is written, and record its model calls', [
    'prefixtrace run -- claude -p "Plan the wedding"',
    'prefixtrace run --phase nightly -- python agent.py',
    'prefixtrace run -- npm test',
  ])
    .argument('<command...>', 'the command and its words; `--` in front keeps its options apart from ours')
    .option('--thread <name>', 'the conversation that its calls belong to')
    .option('--phase <name>', 'the role that its calls have')
    .option('--no-websockets', NO_WEBSOCKETS_HELP)
    .passThroughOptions()
    .addHelpText('after', RUN_HELP)
    .action(async (words: string[], options: { thread?: string; phase?: string; websockets: boolean }) => {
      const { runCommand } = await import('./commands/run.ts');
      onExit(await runCommand(words, options, context));
    });

  command(program, 'proxy', 'record the model calls of any client that lets its base URL be set', [
    'prefixtrace proxy --target https://api.anthropic.com',
    'prefixtrace proxy --target https://llm.example.com/v1 --port 4100 --log calls.jsonl',
  ])
    .requiredOption('--target <url>', 'where the calls go')
    .option('--port <number>', 'on which port of this machine to listen (default: any free one)')
    .option('--log <file>', 'write an exchange log as well; it holds the prompts, so only you may read it')
    .option('--no-websockets', NO_WEBSOCKETS_HELP)
    .addHelpText('after', PROXY_HELP)
    .action(async (options: { target: string; port?: string; log?: string; websockets: boolean }) => {
      const { runProxy } = await import('./commands/proxy.ts');
      onExit(await runProxy(options, context));
    });

  command(program, 'import', 'recorded traffic of any known form into the local store', [
    'prefixtrace import calls.jsonl',
    'PREFIXTRACE_DIR=traces prefixtrace import monday.har tuesday.har && prefixtrace view traces',
  ])
    .argument('<file...>', 'logs, in the order in which they were written; `-` is standard input')
    .action(async (files: string[]) => {
      const { runImport } = await import('./commands/import.ts');
      onExit(await runImport(files, context));
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
