/**
 * Reads the project's own log format (design §6): JSON Lines of exchanges, or one object `{"api":…,"requests":[…]}`.
 *
 * A bad line in a good log is reported and skipped; a log without any exchange is a `LogError`. JSON Lines are
 * streamed, one line in memory; the object form, which may span lines, is held whole up to a limit.
 */
import type { Exchange, JsonObject } from '../exchange.ts';
import { isJsonObject } from '../json-value.ts';
import { isApi, readEntry, readEntryText } from './exchange-fields.ts';
import { jsonElementLines } from './json-element-lines.ts';
import { type Line, readLines } from './lines.ts';
import { LogError, type SkippedLine } from './log-error.ts';

export interface LoggedExchange {
  readonly exchange: Exchange;
  /** `file:line` */
  readonly source: string;
}

export interface ExchangeLogOptions {
  readonly onSkippedLine?: ((line: SkippedLine) => void) | undefined;
}

const EXPECTED = 'expected one exchange a line, {"api":…,"body":{…}}, or one object {"api":…,"requests":[…]}';

/** A log that held no exchange in so many lines is another kind of file: say so before reading gigabytes of it. */
const MAX_FOREIGN_LINES = 200;
const MAX_DOCUMENT_CHARACTERS = 256 * 1024 * 1024;

export async function* readExchangeLog(
  chunks: AsyncIterable<Uint8Array | string>,
  file: string,
  options: ExchangeLogOptions = {},
): AsyncGenerator<LoggedExchange> {
  const lines = nonBlank(readLines(chunks));
  try {
    yield* readLog(lines, file, options);
  } finally {
    await lines.return(undefined); // closes the file, also where the caller stopped early
  }
}

async function* readLog(
  lines: AsyncGenerator<Line>,
  file: string,
  options: ExchangeLogOptions,
): AsyncGenerator<LoggedExchange> {
  const first = await lines.next();
  if (first.done) throw new LogError(`${file} is empty; ${EXPECTED}`);

  const parsed = parse(first.value.text);
  if (isDocument(parsed)) {
    yield* readDocument(parsed, first.value.text ?? '', file, options);
    return;
  }
  const held = [first.value];
  if (parsed === undefined && first.value.text?.trimStart().startsWith('{')) {
    // An object that does not end on its line: pretty-printed, or a line that was cut short.
    await holdDocument(lines, held);
    const text = wholeText(held);
    const document = parse(text);
    if (isDocument(document)) {
      yield* readDocument(document, text, file, options);
      return;
    }
    if (document !== undefined) throw new LogError(`${file}: has no "requests"; ${EXPECTED}`);
  }
  yield* readEntries(chain(held, lines), file, options);
}

async function* readEntries(
  lines: AsyncIterable<Line>,
  file: string,
  options: ExchangeLogOptions,
): AsyncGenerator<LoggedExchange> {
  let hasExchange = false;
  const bad: SkippedLine[] = [];
  for await (const line of lines) {
    const source = `${file}:${line.number}`;
    const entry = readLine(line);
    if (typeof entry !== 'string') {
      if (!hasExchange) for (const skipped of bad) options.onSkippedLine?.(skipped);
      hasExchange = true;
      yield { exchange: entry, source };
      continue;
    }
    const skipped = { source, reason: entry };
    if (hasExchange) options.onSkippedLine?.(skipped);
    else if (bad.push(skipped) >= MAX_FOREIGN_LINES) break;
  }
  const [firstBad] = bad;
  if (!hasExchange && firstBad) throw new LogError(`${firstBad.source}: ${firstBad.reason}; ${EXPECTED}`);
}

function readLine(line: Line): Exchange | string {
  if (line.text === null) return 'the line is too long';
  return readEntryText(line.text) ?? (line.isUnended ? 'the line is cut short' : 'is not JSON');
}

function* readDocument(
  document: JsonObject & { readonly requests: readonly unknown[] },
  text: string,
  file: string,
  options: ExchangeLogOptions,
): Generator<LoggedExchange> {
  const { api } = document;
  if (api !== undefined && !isApi(api))
    throw new LogError(`${file}: "api" is ${JSON.stringify(api)}; ${EXPECTED}`);
  if (document.requests.length === 0) throw new LogError(`${file}: "requests" is empty; ${EXPECTED}`);
  const lineNumbers = jsonElementLines(text, ['requests']);
  const entries = document.requests.map((request, index) => ({
    entry: readEntry(request, api),
    source: `${file}:${lineNumbers[index] ?? 1}`,
  }));
  if (entries.every(({ entry }) => typeof entry === 'string')) {
    const [first] = entries;
    throw new LogError(`${first?.source}: ${first?.entry}; ${EXPECTED}`);
  }
  for (const { entry, source } of entries) {
    if (typeof entry === 'string') options.onSkippedLine?.({ source, reason: entry });
    else yield { exchange: entry, source };
  }
}

function isDocument(value: unknown): value is JsonObject & { readonly requests: readonly unknown[] } {
  return isJsonObject(value) && Array.isArray(value.requests) && !('body' in value);
}

function parse(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function* nonBlank(lines: AsyncIterable<Line>): AsyncGenerator<Line> {
  for await (const line of lines) if (line.text === null || line.text.trim() !== '') yield line;
}

async function holdDocument(lines: AsyncGenerator<Line>, held: Line[]): Promise<void> {
  let characters = held[0]?.text?.length ?? 0;
  while (characters <= MAX_DOCUMENT_CHARACTERS) {
    const next = await lines.next();
    if (next.done) return;
    held.push(next.value);
    characters += next.value.text?.length ?? MAX_DOCUMENT_CHARACTERS;
  }
}

/** With blank lines put back, so that line numbers stay true. */
function wholeText(lines: readonly Line[]): string {
  let text = '';
  let number = 1;
  for (const line of lines) {
    text += '\n'.repeat(line.number - number) + (line.text ?? '');
    number = line.number;
  }
  return text;
}

async function* chain(held: readonly Line[], rest: AsyncIterable<Line>): AsyncGenerator<Line> {
  yield* held;
  yield* rest;
}
