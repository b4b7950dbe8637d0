/**
 * The commands, their options and their help. A command's own code loads when it runs, not before:
 * `--help` must not wait for React or a tokenizer.
 */
import { Command, Option } from 'commander';
import { VERSION } from '../src/version.ts';
import type { CommandContext } from './command-context.ts';
import type { CheckOptions } from './commands/check.ts';
import type { ReportFormat, ReportOptions } from './commands/report.ts';
import type { SimulateOptions } from './commands/simulate.ts';
import type { ViewOptions } from './commands/view.ts';

const EXIT_CODES = `
Exit codes: 0 fine, 1 found what it was asked to look for, 2 usage or I/O error.`;

const SOURCE_HELP =
  'a store of recorded calls, or logs: files, folders of them and quoted patterns, gzip too; `-` is standard input (default: .prefixtrace, or where PREFIXTRACE_DIR says)';

const LOGS_HELP =
  'logs in the order in which they were written: files, folders of them and quoted patterns, gzip too; `-` is standard input';

const LISTEN_HELP =
  'show what programs on this machine export as OTLP over HTTP, with OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 (default port: 4318)';

const SERVER_HELP =
  "a ClickHouse server that holds the collector's otel_traces: clickhouse://user@host:8123/database?table=otel_traces; the password is best left to CLICKHOUSE_PASSWORD";

const CHECK_FILES_HELP = `${LOGS_HELP}; or a store of recorded calls (default: .prefixtrace)`;

const CHECK_HELP = `
What could not be measured (calls without usage, bodies and files that cannot be read, skipped lines, no calls at all) fails, and is said.
Where GITHUB_STEP_SUMMARY names a file, a Markdown summary is added to it.`;

const NO_WEBSOCKETS_HELP =
  'refuse WebSockets, which pass unread: clients such as Codex then speak HTTP, which is read';

const ARM_HELP = 'one arm: a file is one run, a folder or a quoted glob is a run a file';

const COMPARE_HELP = `
Each run is summed over all its calls; medians of the runs are compared. Where the ranges overlap, or an arm has one run, no
difference is shown. What no run reports is unknown and left out, never zero.`;

const SIMULATE_HELP = `
Several options are one layout. Without any, each is tried alone and those that help together, best first.
Nothing is sent: the recorded requests are put in another form and held against the provider's documented rules. How well
these foretell the recording as it is stands beside the figures.`;

const RUN_HELP = `
The command finds the recording proxy by ANTHROPIC_BASE_URL, OPENAI_BASE_URL, GOOGLE_GEMINI_BASE_URL and the like; where one
is set already, its value is where the calls go. The exit code is the command's own.`;

const PROXY_HELP = `
A request may say who is calling, in the headers x-prefixtrace-thread, x-prefixtrace-phase and x-prefixtrace-delegation;
they go no further than the proxy.`;

const FLOOR_HELP = `
System blocks, tools and response schemas, in tokens and in money: read from the cache, written to it, and uncached. Figures with
~ are estimates: usage reports the whole call, not its parts. The prices are those of the time of the last call.`;

export function createProgram(context: CommandContext, onExit: (code: number) => void): Command {
  const program = new Command('prefixtrace')
    .description('Why did the prompt cache miss, where exactly, and what did it cost?')
    .version(VERSION)
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
    'prefixtrace view --listen',
    'prefixtrace view --source clickhouse://reader@clickhouse:8123/otel --since 7d',
  ])
    .argument('[source...]', SOURCE_HELP)
    .option('--listen [port]', LISTEN_HELP)
    .addOption(serverOption())
    .addOption(sinceOption())
    .addOption(untilOption())
    .action(async (sources: string[], options: ViewOptions) => {
      const { runView } = await import('./commands/view.ts');
      onExit(await runView(sources, options, context));
    });

  command(program, 'report', 'what the cache saved, what it did not, and what to fix first', [
    'prefixtrace report',
    'prefixtrace report calls.jsonl --format markdown >> "$GITHUB_STEP_SUMMARY"',
    'prefixtrace report --json | jq .totals',
    'prefixtrace report --output report.html',
  ])
    .argument('[source...]', SOURCE_HELP)
    .addOption(serverOption())
    .addOption(sinceOption())
    .addOption(untilOption())
    .addOption(
      new Option(
        '--format <format>',
        'form of the report (default: what the name of the output says, else text)',
      ).choices(['text', 'markdown', 'json', 'html']),
    )
    .option('--json', 'the same as --format json')
    .option(
      '--output <file>',
      'write it into a file that only you may read; html is one page that needs no network',
    )
    .option(
      '--excerpts',
      'show in html the text that changed, where it was recorded; it is part of the prompts',
    )
    .action(async (sources: string[], options: ReportOptions & { format?: ReportFormat; json?: boolean }) => {
      const { reportFormat, runReport } = await import('./commands/report.ts');
      onExit(await runReport(sources, reportFormat(options), context, options));
    });

  command(program, 'diagnose', 'what diverged in recorded traffic, call by call', [
    'prefixtrace diagnose calls.jsonl',
    'prefixtrace diagnose monday.jsonl tuesday.jsonl --json',
    'prefixtrace diagnose logs/ --json',
    'ssh build cat calls.jsonl.gz | prefixtrace diagnose -',
  ])
    .argument('<file...>', LOGS_HELP)
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
    .addOption(serverOption())
    .addOption(sinceOption())
    .addOption(untilOption())
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

  command(program, 'compare', 'two arms of recorded runs: is a difference shown, or is it chance?', [
    'prefixtrace compare before.jsonl after.jsonl',
    'prefixtrace compare runs/before runs/after',
    'prefixtrace compare "runs/before-*.jsonl" "runs/after-*.jsonl" --json',
  ])
    .argument('<a>', ARM_HELP)
    .argument('<b>', 'the other arm')
    .option('--json', 'print one JSON object and nothing else')
    .addHelpText('after', COMPARE_HELP)
    .action(async (a: string, b: string, options: { json?: boolean }) => {
      const { runCompare } = await import('./commands/compare.ts');
      onExit(await runCompare(a, b, options, context));
    });

  command(program, 'simulate', 'what recorded calls would have read and cost under another layout', [
    'prefixtrace simulate calls.jsonl',
    'prefixtrace simulate calls.jsonl --tools sorted --volatile tail',
    'prefixtrace simulate calls.jsonl --ttl 1h --json',
  ])
    .argument('<file...>', 'logs, in the order in which they were written; `-` is standard input')
    .addOption(new Option('--tools <order>', 'tools in another order').choices(['sorted', 'first-seen']))
    .addOption(new Option('--volatile <place>', 'the changing part of the system prompt').choices(['tail']))
    .addOption(new Option('--breakpoints <places>', 'cache marks in other places').choices(['advised']))
    .addOption(new Option('--ttl <lifetime>', 'another lifetime of the cache marks').choices(['1h']))
    .option('--json', 'print one JSON object and nothing else')
    .addHelpText('after', SIMULATE_HELP)
    .action(async (files: string[], options: SimulateOptions) => {
      const { runSimulate } = await import('./commands/simulate.ts');
      onExit(await runSimulate(files, options, context));
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

  command(program, 'floor', 'what every call pays before its first message, and what of it could go', [
    'prefixtrace floor calls.jsonl',
    'prefixtrace floor monday.har tuesday.har',
    "prefixtrace floor calls.jsonl --json | jq '.heads[0].savings'",
  ])
    .argument('<file...>', 'logs, in the order in which they were written; `-` is standard input')
    .option('--json', 'print one JSON object and nothing else')
    .addHelpText('after', FLOOR_HELP)
    .action(async (files: string[], options: { json?: boolean }) => {
      const { runFloor } = await import('./commands/floor.ts');
      onExit(await runFloor(files, options, context));
    });

  command(program, 'import', 'recorded traffic of any known form into the local store', [
    'prefixtrace import calls.jsonl',
    'PREFIXTRACE_DIR=traces prefixtrace import monday.har tuesday.har && prefixtrace view traces',
  ])
    .argument('<file...>', LOGS_HELP)
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

function serverOption(): Option {
  return new Option('--source <address>', SERVER_HELP);
}

function sinceOption(): Option {
  return new Option('--since <time>', 'of a server: calls since then, as 24h, 7d or a date (default: 24h)');
}

function untilOption(): Option {
  return new Option('--until <time>', 'of a server: calls before then (default: now)');
}

function examples(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;
}
