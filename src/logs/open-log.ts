/**
 * Recorded traffic of any known format → exchanges. The format is told by what a file holds, never by its name; a file
 * that fits none is refused in one line.
 */

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { JsonObject } from '../exchange.ts';
import { isJsonObject } from '../json-value.ts';
import type { UsageRecord } from '../usage-only/usage-record.ts';
import { type ExchangeLogOptions, type LoggedExchange, readExchangeLog } from './exchange-log.ts';
import { cacheFixCapture } from './formats/cache-fix-capture.ts';
import { goVcr, vcrpy } from './formats/cassette.ts';
import { claudeTrace } from './formats/claude-trace.ts';
import type { LogFormat } from './formats/format.ts';
import { har } from './formats/har.ts';
import type { HeldChunks } from './formats/held-chunks.ts';
import { inspect } from './formats/inspect.ts';
import { langfuse } from './formats/langfuse.ts';
import { liteLlm } from './formats/litellm.ts';
import { openHands } from './formats/openhands.ts';
import { otlp } from './formats/otlp.ts';
import { openRecords } from './formats/records.ts';
import { sdkSpans } from './formats/sdk-spans.ts';
import {
  claudeCodeTranscript,
  codexTranscript,
  geminiTranscript,
  piTranscript,
} from './formats/session-transcripts.ts';
import { sweAgent } from './formats/swe-agent.ts';
import { EXPECTED_FORMATS, ForeignLogError, LogError, withoutPlace } from './log-error.ts';
import { logFiles } from './log-files.ts';
import { plainChunks } from './plain-bytes.ts';

/** The first that fits wins; each looks for members that no other has. */
const FORMATS: readonly LogFormat[] = [
  claudeTrace,
  cacheFixCapture,
  vcrpy,
  goVcr,
  har,
  inspect,
  sweAgent,
  openHands,
  liteLlm,
  langfuse,
  otlp,
  sdkSpans,
  claudeCodeTranscript,
  codexTranscript,
  geminiTranscript,
  piTranscript,
];

export interface OpenedLog {
  /** Name of the format, for a person. */
  readonly format: string;
  readonly exchanges: AsyncGenerator<LoggedExchange>;
  /** In place of `exchanges`, which refuses: a transcript without bodies. Read one of the two. */
  readonly usageRecords?: AsyncGenerator<UsageRecord> | undefined;
}

/** Throws a `ForeignLogError` for a file of no known format; reading `exchanges` may throw one too. */
export async function openLog(
  chunks: AsyncIterable<Uint8Array | string>,
  file: string,
  options: ExchangeLogOptions = {},
): Promise<OpenedLog> {
  const held = await plainChunks(chunks, file);
  try {
    const opened = await sniff(held, file);
    if (opened === undefined)
      return { format: 'exchange log', exchanges: readExchangeLog(held.replay(), file, options) };
    const onSkippedLine = options.onSkippedLine ?? (() => {});
    const context = { file, onSkippedLine };
    const { format, records } = opened;
    const entries = records.read(context);
    return {
      format: format.name,
      exchanges: format.read(entries, context),
      usageRecords: format.readUsageRecords?.(entries),
    };
  } catch (error) {
    await held.close();
    throw error;
  }
}

/** As `readExchangeLog`, for every format. */
export async function* readLog(
  chunks: AsyncIterable<Uint8Array | string>,
  file: string,
  options: ExchangeLogOptions = {},
): AsyncGenerator<LoggedExchange> {
  const { exchanges } = await openLog(chunks, file, options);
  yield* exchanges;
}

/** A file, or a folder of files; what does not fit in a folder is skipped, unless nothing fits. */
export async function* readLogPath(
  path: string,
  options: ExchangeLogOptions = {},
): AsyncGenerator<LoggedExchange> {
  if (!(await stat(path)).isDirectory()) {
    yield* readLog(createReadStream(path), path, options);
    return;
  }
  const { files, passedOver } = await logFiles(path, callTimeOf);
  for (const { path: source, reason } of passedOver) options.onSkippedLine?.({ source, reason });
  let first: LogError | undefined;
  let hasFitting = false;
  for (const file of files) {
    try {
      yield* readLog(createReadStream(file), file, options);
      hasFitting = true;
    } catch (error) {
      if (!(error instanceof LogError)) throw error;
      first ??= error;
      options.onSkippedLine?.({ source: file, reason: withoutPlace(error, file) });
    }
  }
  if (hasFitting) return;
  throw new LogError(
    first ? `nothing in ${path} can be read: ${first.message}` : `${path} is an empty folder`,
  );
}

/** For `logFiles`. */
export async function callTimeOf(file: string): Promise<number | undefined> {
  let held: HeldChunks | undefined;
  try {
    held = await plainChunks(createReadStream(file), file);
    const opened = await sniff(held, file);
    const [record] = opened?.records.sample ?? [];
    return record && opened?.format.callTime?.(record);
  } catch {
    // Whoever reads it for its calls says what is wrong with it.
    return undefined;
  } finally {
    await held?.close();
  }
}

/** `undefined`: an exchange log, whose own reader wants the bytes. */
async function sniff(held: HeldChunks, file: string) {
  const records = await openRecords(held, file);
  const format = FORMATS.find(({ fits }) => records.sample.some(fits));
  if (format) return { format, records };
  if (records.sample.some(isExchangeLog)) return undefined;
  const [record] = records.sample;
  const names = Object.keys(record ?? {}).slice(0, 6);
  throw new ForeignLogError(
    `${file}:1: is of no format that prefixtrace reads (it holds ${names.map((name) => JSON.stringify(name)).join(', ') || 'nothing'}); ${EXPECTED_FORMATS}`,
  );
}

function isExchangeLog({ body, requests }: JsonObject): boolean {
  if (isJsonObject(body) || typeof body === 'string') return true;
  return Array.isArray(requests) && requests.some((request) => isJsonObject(request) && 'body' in request);
}
