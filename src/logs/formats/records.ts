/**
 * A file's text → records. What kind of text it is, is told by the text: JSON Lines are streamed, one line in memory;
 * a document (JSON over many lines, a YAML cassette) is held whole, up to a limit.
 */
import type { JsonObject } from '../../exchange.ts';
import { isJsonObject } from '../../json-value.ts';
import { jsonElementLines } from '../json-element-lines.ts';
import { MAX_LINE_BYTES, readLines } from '../lines.ts';
import { EXPECTED_FORMATS, ForeignLogError, LogError } from '../log-error.ts';
import type { LogRecord, ReadContext } from './format.ts';
import type { HeldChunks } from './held-chunks.ts';

export interface OpenedRecords {
  /** The first records, to tell the format by; never empty. */
  readonly sample: readonly JsonObject[];
  read(context: ReadContext): AsyncGenerator<LogRecord>;
}

const MAX_DOCUMENT_BYTES = 256 * 1024 * 1024;
const MAX_SAMPLE = 20;

/** Throws a `LogError` for what is neither JSON nor a YAML cassette. */
export async function openRecords(held: HeldChunks, file: string): Promise<OpenedRecords> {
  const beginning = await held.holdLine(MAX_LINE_BYTES);
  const sample = sampleLines(beginning, file);
  if (sample !== undefined) return { sample, read: (context) => lineRecords(held, context) };

  const isJson = /^\s*[[{]/.test(beginning);
  if (!isJson && !/^\s*(?:---|#|%YAML|[\w-]+:(?:\s|$))/.test(beginning)) throw notText(file, beginning);
  const text = await held.holdAll(MAX_DOCUMENT_BYTES);
  if (text === undefined) throw new LogError(`${file} is one document of more than 256 MB; split it first`);
  return isJson ? jsonDocument(text, file, held) : yamlDocument(text, file);
}

/** The first lines, where each is JSON by itself. `undefined`: the file is a document, or a line was cut short. */
function sampleLines(beginning: string, file: string): JsonObject[] | undefined {
  const lines = beginning.split('\n').filter((line) => line.trim() !== '');
  const [first] = lines;
  if (first === undefined) throw new ForeignLogError(`${file}:1: is empty; ${EXPECTED_FORMATS}`);
  const parsed = parseJson(first);
  if (parsed === undefined) return undefined;
  const values = [parsed, ...lines.slice(1, MAX_SAMPLE).map(parseJson)];
  const objects = values.flatMap((value) => (Array.isArray(value) ? value : [value])).filter(isJsonObject);
  if (objects.length === 0)
    throw new ForeignLogError(`${file}:1: holds no JSON objects; ${EXPECTED_FORMATS}`);
  return objects.slice(0, MAX_SAMPLE);
}

async function* lineRecords(held: HeldChunks, context: ReadContext): AsyncGenerator<LogRecord> {
  for await (const line of readLines(held.replay())) {
    if (line.text?.trim() === '') continue;
    const source = `${context.file}:${line.number}`;
    const value = line.text === null ? undefined : parseJson(line.text);
    const values = Array.isArray(value) ? value : [value];
    for (const one of values) {
      if (isJsonObject(one)) yield { value: one, source, sourcesAt: () => [] };
      else context.onSkippedLine({ source, reason: problemOf(line, value) });
    }
  }
}

function problemOf(
  line: { readonly text: string | null; readonly isUnended: boolean },
  value: unknown,
): string {
  if (line.text === null) return 'the line is too long';
  if (value !== undefined) return 'is not a JSON object';
  return line.isUnended ? 'the line is cut short' : 'is not JSON';
}

function jsonDocument(text: string, file: string, held: HeldChunks): OpenedRecords {
  const value = parseJson(text);
  if (value === undefined) return damagedLines(text, file, held);
  const records = Array.isArray(value) ? elementRecords(value, text, file) : [wholeRecord(value, text, file)];
  const objects = records.filter((record): record is LogRecord => isJsonObject(record.value));
  if (objects.length === 0)
    throw new ForeignLogError(`${file}:1: holds no JSON objects; ${EXPECTED_FORMATS}`);
  return opened(objects);
}

/** JSON Lines whose first line was cut short, as a log is that was rotated in the middle of a line. */
function damagedLines(text: string, file: string, held: HeldChunks): OpenedRecords {
  const lines = text.split('\n', MAX_SAMPLE).slice(1);
  const sample = lines.map(parseJson).filter(isJsonObject);
  if (sample.length === 0)
    throw new LogError(
      `${file}:1: begins like JSON and is none: it is cut short or damaged; ${EXPECTED_FORMATS}`,
    );
  return { sample, read: (context) => lineRecords(held, context) };
}

function wholeRecord(value: unknown, text: string, file: string): LogRecord {
  return {
    value: value as JsonObject,
    source: `${file}:1`,
    sourcesAt: (...path) => jsonElementLines(text, path).map((line) => `${file}:${line}`),
  };
}

function elementRecords(values: readonly unknown[], text: string, file: string): LogRecord[] {
  const lines = jsonElementLines(text, []);
  return values.map((value, index) => ({
    value: value as JsonObject,
    source: `${file}:${lines[index] ?? 1}`,
    sourcesAt: () => [],
  }));
}

/** The YAML reader is loaded for what looks like a cassette, and for nothing else. */
async function yamlDocument(text: string, file: string): Promise<OpenedRecords> {
  if (!/^(?:interactions|http_interactions):/m.test(text)) throw notText(file, text);
  const { readYaml } = await import('./yaml-document.ts');
  const document = readYaml(text);
  if (document === undefined || !isJsonObject(document.value)) throw new LogError(`${file} is damaged YAML`);
  return opened([
    {
      value: document.value,
      source: `${file}:1`,
      sourcesAt: (name = '') => document.elementLines(name).map((line) => `${file}:${line}`),
    },
  ]);
}

function opened(records: readonly LogRecord[]): OpenedRecords {
  return {
    sample: records.slice(0, MAX_SAMPLE).map(({ value }) => value),
    async *read() {
      yield* records;
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function notText(file: string, beginning: string): LogError {
  const isBinary = beginning.slice(0, 1_000).includes('\0');
  return new ForeignLogError(
    `${file}:1: is ${isBinary ? 'a binary file' : 'neither JSON nor a recorded cassette'}; ${EXPECTED_FORMATS}`,
  );
}
