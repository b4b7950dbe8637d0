/**
 * A line on stderr that says how far a long run has come, drawn over itself and erased at the end. Only on a terminal, and
 * in plain characters.
 */
import type { CommandContext } from '../command-context.ts';
import type { CallSource, ReadProgress } from '../sources/call-source.ts';
import { countOf, formatCount } from './format.ts';

/** Most runs are over before anybody wonders. */
const SHOWN_AFTER_MS = 300;
const DRAWN_EVERY_MS = 100;

export interface ProgressLine {
  erase(): void;
}

/** The same source, with the line drawn while it is read. */
export function withProgressLine(source: CallSource, context: Pick<CommandContext, 'stderr'>): CallSource {
  return {
    ...source,
    async *read(options) {
      let calls = 0;
      const line = startProgressLine(context, () => progressText(source.progress?.() ?? null, calls));
      try {
        for await (const batch of source.read(options)) {
          calls += batch.length;
          yield batch;
        }
      } finally {
        line.erase();
      }
    },
  };
}

export function startProgressLine(
  { stderr }: Pick<CommandContext, 'stderr'>,
  text: () => string,
): ProgressLine {
  if (!stderr.isTTY) return { erase() {} };
  const startedAtMs = performance.now();
  let drawnWidth = 0;
  /** Spaces wipe what a longer line left: not every terminal knows a sequence that erases. */
  const draw = (shown: string) => {
    const rest = ' '.repeat(Math.max(0, drawnWidth - shown.length));
    stderr.write(`\r${shown}${rest}\r${shown}`);
    drawnWidth = shown.length;
  };
  const timer = setInterval(() => {
    if (performance.now() - startedAtMs >= SHOWN_AFTER_MS) draw(text().slice(0, (stderr.columns ?? 80) - 1));
  }, DRAWN_EVERY_MS);
  timer.unref();
  return {
    erase() {
      clearInterval(timer);
      if (drawnWidth > 0) draw('');
    },
  };
}

/** `file 2 of 5 · 120 of 1,024 MB · 3,400 calls` */
export function progressText(progress: ReadProgress | null, calls: number): string {
  const parts: string[] = [];
  if (progress !== null) {
    const { readBytes, totalBytes, position = 1, count = 1 } = progress;
    if (count > 1) parts.push(`file ${position} of ${count}`);
    parts.push(`${megabytes(readBytes)}${totalBytes === null ? '' : ` of ${megabytes(totalBytes)}`} MB`);
  }
  return [...parts, countOf(calls, 'call')].join(' · ');
}

function megabytes(bytes: number): string {
  return bytes < 1e7 ? (bytes / 1e6).toFixed(1) : formatCount(bytes / 1e6);
}
