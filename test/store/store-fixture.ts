/** A store in a directory of its own, and spans to put into it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { type OpenStoreOptions, openStore } from '../../src/store/open-store.ts';
import type { StoredSpan } from '../../src/store/otlp-json.ts';
import { ReadReport } from '../../src/store/read-report.ts';
import { readSpans } from '../../src/store/reader.ts';
import { loadSdkSync } from '../../src/store/sdk.ts';

const made: string[] = [];

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'prefixtrace-'));
  made.push(directory);
  return directory;
}

afterEach(() => {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
});

export function newStore(options: OpenStoreOptions = {}) {
  const directory = options.directory ?? join(temporaryDirectory(), '.prefixtrace');
  const store = openStore(loadSdkSync(), { ...options, directory });
  const tracer = store.tracerProvider.getTracer('test', '1.0');
  return { directory, store, tracer };
}

export async function readAll(path: string, report = new ReadReport()): Promise<StoredSpan[]> {
  const spans: StoredSpan[] = [];
  for await (const span of readSpans(path, report)) spans.push(span);
  return spans;
}

export function filesOf(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(directory, name));
}

export function bytesOf(directory: string): string {
  return filesOf(directory)
    .map((file) => readFileSync(file, 'utf8'))
    .join('');
}

/** One line of the format with one span of that name. */
export function lineOf(name: string): string {
  const span = { traceId: '5b8efff798038103d269b633813fc60c', spanId: 'eee19b7ec3c1b174', name };
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
}
