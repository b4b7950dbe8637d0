import { chmodSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DiagConsoleLogger, DiagLogLevel, diag, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { afterEach, describe, expect, it } from 'vitest';
import { storeDirectory } from '../../src/store/directory.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { bytesOf, filesOf, newStore, readAll, temporaryDirectory } from './store-fixture.ts';

const modeOf = (path: string): number => statSync(path).mode & 0o777;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function collectWarnings(): string[] {
  const warnings: string[] = [];
  const logger = new DiagConsoleLogger();
  logger.warn = (message: string) => void warnings.push(message);
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  return warnings;
}
afterEach(() => diag.disable());

describe('the store', () => {
  it('gives back every span as it was written', async () => {
    const { directory, store, tracer } = newStore();
    const baseline = tracer.startSpan('chat m', { kind: SpanKind.CLIENT, startTime: [1_796_000_000, 1_000] });
    baseline.setStatus({ code: SpanStatusCode.ERROR, message: 'no' }).end([1_796_000_001, 500_000]);
    const attributes = { text: 'ä\n"', zero: 0, big: 18_176, part: 0.25, yes: true, list: ['a', 'b'] };
    const links = [{ context: baseline.spanContext(), attributes: { why: 'baseline' } }];
    tracer.startSpan('prompt_cache.divergence', { attributes, links }).end();
    await store.flush();
    const [first, second] = await readAll(directory);
    expect(first).toMatchObject({
      ...{ traceId: baseline.spanContext().traceId, spanId: baseline.spanContext().spanId },
      ...{ name: 'chat m', kind: 'client', startMs: 1_796_000_000_000.001, endMs: 1_796_000_001_000.5 },
      ...{ status: { code: 'error', message: 'no' }, scope: { name: 'test', version: '1.0' } },
    });
    expect(first).not.toHaveProperty('parentSpanId');
    expect(second?.attributes).toEqual(attributes);
    expect(second?.links).toEqual([
      {
        ...{ traceId: baseline.spanContext().traceId, spanId: baseline.spanContext().spanId },
        attributes: { why: 'baseline' },
      },
    ]);
    expect(first?.resource).toMatchObject({
      'service.name': 'prefixtrace',
      'telemetry.sdk.language': 'nodejs',
      'process.pid': process.pid,
    });
    await store.shutdown();
  });

  it('is for its owner alone: directory 0700, files 0600', async () => {
    const { directory, store, tracer } = newStore();
    tracer.startSpan('a').end();
    await store.shutdown();
    expect(modeOf(directory)).toBe(0o700);
    expect(filesOf(directory).map(modeOf)).toEqual([0o600]);
    expect(readFileSync(join(directory, '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('leaves alone the mode of a directory that the user made', async () => {
    const directory = temporaryDirectory();
    chmodSync(directory, 0o755);
    const { store, tracer } = newStore({ directory });
    tracer.startSpan('a').end();
    await store.shutdown();
    expect(modeOf(directory)).toBe(0o755);
    expect(filesOf(directory)).toHaveLength(1);
  });

  it('makes nothing before there is something to write', async () => {
    const directory = join(temporaryDirectory(), 'store');
    await newStore({ directory }).store.shutdown();
    expect(() => statSync(directory)).toThrow('ENOENT');
  });

  it('names its file after time and process', async () => {
    const { directory, store, tracer } = newStore();
    tracer.startSpan('a').end();
    await store.shutdown();
    expect(filesOf(directory)[0]).toMatch(
      new RegExp(`\\d{4}-\\d\\d-\\d\\dT\\d\\d-\\d\\d-\\d\\d\\.\\d{3}Z-${process.pid}-[0-9a-f]{8}\\.jsonl$`),
    );
  });

  it('writes spans within a moment, without a flush, many in a line', async () => {
    const { directory, store, tracer } = newStore();
    for (let index = 0; index < 100; index += 1) tracer.startSpan(`span ${index}`).end();
    await expect.poll(() => readAll(directory).catch(() => []), { timeout: 5000 }).toHaveLength(100);
    expect(bytesOf(directory).trim().split('\n')).toHaveLength(2);
    await store.shutdown();
  });

  it('loses nothing of a burst', async () => {
    const { directory, store, tracer } = newStore();
    for (let index = 0; index < 10_000; index += 1) tracer.startSpan('burst').end();
    await store.flush();
    expect(await readAll(directory)).toHaveLength(10_000);
    expect(store.droppedSpans).toBe(0);
    await store.shutdown();
  });

  it('writes synchronously when asked, and each span once although a write was on its way', async () => {
    const { directory, store, tracer } = newStore();
    for (let index = 0; index < 1000; index += 1) tracer.startSpan(`span ${index}`).end();
    const flushed = store.flush();
    await Promise.resolve();
    tracer.startSpan('last').end();
    store.flushSync();
    expect(await readAll(directory)).toHaveLength(1001);
    await flushed;
    await store.shutdown();
    expect(await readAll(directory)).toHaveLength(1001);
  });

  it('starts a new file when somebody deleted the store under it', async () => {
    const { directory, store, tracer } = newStore();
    tracer.startSpan('before').end();
    await store.flush();
    rmSync(directory, { recursive: true });
    tracer.startSpan('after').end();
    await store.flush();
    expect((await readAll(directory)).map((span) => span.name)).toEqual(['after']);
    await store.shutdown();
  });

  it('goes on without a hole when somebody emptied its file', async () => {
    const { directory, store, tracer } = newStore();
    tracer.startSpan('before').end();
    await store.flush();
    truncateSync(filesOf(directory)[0] ?? '');
    tracer.startSpan('after').end();
    await store.flush();
    expect(bytesOf(directory)).not.toContain('\0');
    expect((await readAll(directory)).map((span) => span.name)).toEqual(['after']);
    await store.shutdown();
  });

  it('lies in .prefixtrace of the working directory, or where PREFIXTRACE_DIR says', () => {
    expect(storeDirectory({})).toBe(join(process.cwd(), '.prefixtrace'));
    expect(storeDirectory({ PREFIXTRACE_DIR: '/var/tmp/traces' })).toBe('/var/tmp/traces');
  });
});

describe('a store that cannot take more', () => {
  it('drops a record that is larger than a file may be, counts it and says so once', async () => {
    const warnings = collectWarnings();
    const directory = temporaryDirectory();
    const writer = new StoreWriter({ directory, maxFileBytes: 1000 });
    for (const length of [99, 1000, 1001, 99]) writer.append(bytes('x'.repeat(length)));
    await writer.close();
    expect(bytesOf(directory)).toHaveLength(200);
    expect(writer.droppedRecords).toBe(2);
    expect(warnings.filter((warning) => warning.includes('larger than a file'))).toHaveLength(1);
  });

  it('drops at the cap of the directory, which others fill too, and goes on after a clean-up', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'old.jsonl'), 'x'.repeat(950));
    const full = new StoreWriter({ directory, maxDirectoryBytes: 1000 });
    full.append(bytes('x'.repeat(99)), 7);
    await full.close();
    expect(full.droppedRecords).toBe(7);
    rmSync(join(directory, 'old.jsonl'));
    const free = new StoreWriter({ directory, maxDirectoryBytes: 1000 });
    free.append(bytes('x'.repeat(99)));
    await free.close();
    expect(free.droppedRecords).toBe(0);
  });

  it('drops what a slow disk cannot follow', async () => {
    const directory = temporaryDirectory();
    const writer = new StoreWriter({ directory, maxQueuedBytes: 250 });
    for (let index = 0; index < 5; index += 1) writer.append(bytes('x'.repeat(99)));
    await writer.close();
    expect(writer.droppedRecords).toBe(3);
    expect(bytesOf(directory)).toHaveLength(200);
  });

  it('never throws where the directory cannot be made, and says so once', async () => {
    const warnings = collectWarnings();
    const blocked = join(temporaryDirectory(), 'a file');
    writeFileSync(blocked, ''); // a directory cannot lie below a file, not even for root
    const { store, tracer } = newStore({ directory: join(blocked, 'store') });
    for (let index = 0; index < 3; index += 1) {
      tracer.startSpan('a').end();
      await store.flush();
    }
    store.flushSync();
    await store.shutdown();
    expect(store.droppedSpans).toBe(3);
    expect(warnings.filter((warning) => warning.includes('cannot write'))).toHaveLength(1);
  });

  it.runIf(process.getuid?.() !== 0)('never throws in a directory without the right to write', async () => {
    const directory = temporaryDirectory();
    chmodSync(directory, 0o500);
    const { store, tracer } = newStore({ directory });
    tracer.startSpan('a').end();
    await store.shutdown();
    expect(store.droppedSpans).toBe(1);
  });
});
