/**
 * What a reader met besides spans. A file of the store may be cut (a crash, a full disk) or not be ours at all: that is
 * reported, and never a reason to show nothing.
 */
import { type StoredSpan, spansOfTracesData } from './otlp-json.ts';

export interface BadLine {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly reason: string;
}

const MAX_NAMED_BAD_LINES = 20;

export class ReadReport {
  bytes = 0;
  lines = 0;
  badLines = 0;
  /** The first bad lines, by name; the rest are only counted. */
  readonly named: BadLine[] = [];
  /** Files whose last line is not whole: a process is writing it, or died while it did. No error. */
  readonly tornFiles: string[] = [];

  /** The spans of one whole line. `text` is `undefined` where the line was too long to hold. */
  spansOfLine(text: string | undefined, file: string, line: number): StoredSpan[] {
    if (text !== undefined && text.trim() === '') return [];
    this.lines += 1;
    const parsed = parse(text);
    if (typeof parsed !== 'string') return spansOfTracesData(parsed);
    this.badLines += 1;
    if (this.named.length < MAX_NAMED_BAD_LINES) this.named.push({ file, line, reason: parsed });
    return [];
  }

  /** The spans of what stands behind the last newline: perhaps a whole line, perhaps a torn one. */
  spansOfRest(text: string | undefined, file: string): StoredSpan[] {
    if (text?.trim() === '') return [];
    const parsed = parse(text);
    if (typeof parsed === 'string') {
      this.tornFiles.push(file);
      return [];
    }
    this.lines += 1;
    return spansOfTracesData(parsed);
  }
}

/** The object on a line, or why there is none. The parser's own message is not passed on: it quotes the line. */
function parse(text: string | undefined): object | string {
  if (text === undefined) return 'line too long';
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : 'not a JSON object';
  } catch {
    return 'not JSON';
  }
}
