/**
 * Volatile values: what a program writes anew each time. A value is recognised by both sides: when the changed lines
 * become equal once the values of one class are masked, that class is the cause.
 */
import { changedLines, type TextSpan } from '../text-span.ts';

const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\\.?';
const WEEKDAY = '(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\\.?,?';

const DATE = new RegExp(
  [
    '\\b\\d{4}[-/.]\\d{1,2}[-/.]\\d{1,2}\\b',
    '\\b\\d{1,2}[-/.]\\d{1,2}[-/.]\\d{2,4}\\b',
    `\\b(?:${WEEKDAY}\\s+)?${MONTH}\\s+\\d{1,2}(?:st|nd|rd|th)?,?(?:\\s+\\d{4})?\\b`,
    `\\b(?:${WEEKDAY}\\s+)?\\d{1,2}(?:st|nd|rd|th)?\\.?\\s+${MONTH},?(?:\\s+\\d{4})?\\b`,
    '\\d{4}年\\d{1,2}月\\d{1,2}日',
    `\\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)\\b`,
  ].join('|'),
  'gi',
);
const CLOCK =
  /\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s?(?:Z|UTC|[+-]\d{2}:?\d{2}))?|\b\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s?[ap]\.?m\.?)?(?:\s?(?:GMT|UTC)(?:[+-]\d{1,2}(?::?\d{2})?)?)?|\b\d{1,2}\s?[ap]\.?m\b\.?|\b1[5-9]\d{8}(?:\d{3}(?:\d{3})?)?(?:\.\d+)?\b|\d{1,2}[时点]\d{1,2}分/gi;
const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;
/** A token that no person wrote: hex, or letters and digits mixed, of five characters or more. */
const TOKEN = /\b(?=[\w-]*\d)(?=[\w-]*[a-z])[\w-]{5,}\b|\b[0-9a-f]{5,}\b|\b[A-Za-z0-9+/_-]{20,}={0,2}/gi;
const TEMPORARY_PATH = /(?:\/(?:tmp|private\/var|var\/folders|var\/tmp)|[A-Z]:\\[^\s"]*\\Temp)[^\s"',;)]*/gi;
const NUMBER = /\d[\d,.]*/g;
const SIGNED_QUERY = /\?[^\s"')]*/g;

/** Clock first: an ISO date-time is both. */
const MASKS = {
  clock: [CLOCK],
  date: [DATE],
  id: [UUID, TOKEN],
  path: [TEMPORARY_PATH],
  number: [NUMBER],
  query: [SIGNED_QUERY],
} as const;

export type VolatileClass = keyof typeof MASKS;

function mask(text: string, classes: readonly VolatileClass[]): string {
  let masked = text;
  for (const name of classes)
    for (const pattern of MASKS[name]) masked = masked.replace(pattern, `\u0000${name}`);
  return masked;
}

/** Does masking these classes, and nothing else, make the changed lines equal? */
export function isExplainedBy(span: TextSpan, classes: readonly VolatileClass[]): boolean {
  const { before, after } = changedLines(span);
  return before !== after && mask(before, classes) === mask(after, classes);
}

export function isClockChange(span: TextSpan): boolean {
  return isExplainedBy(span, ['clock', 'date']) && !isExplainedBy(span, ['date']);
}

export function isDateChange(span: TextSpan): boolean {
  return isExplainedBy(span, ['date']);
}

export function isIdChange(span: TextSpan): boolean {
  return isExplainedBy(span, ['id']) || isExplainedBy(span, ['path', 'id']) || isLabelledNumber(span);
}

/** A plain number is an id where its label says so. */
function isLabelledNumber(span: TextSpan): boolean {
  if (!isExplainedBy(span, ['number'])) return false;
  const label = span.oldText.slice(0, span.start).match(/([\w-]+)["']?\s*[:=# ]\s*["']?\d*$/)?.[1] ?? '';
  return /(^|[_-])(id|nonce|seed|session|request|build|trace|run|uuid|hash|sha|pid|port)$|Id$/i.test(label);
}

/** Anything that a program writes anew. */
export function isVolatileChange(span: TextSpan): boolean {
  return (
    isClockChange(span) ||
    isDateChange(span) ||
    isIdChange(span) ||
    isExplainedBy(span, ['clock', 'date', 'id', 'path'])
  );
}

/** The same items in another order: lines, or parts of a list in a line. */
export function isReorderedList(span: TextSpan): boolean {
  const { before, after } = changedLines(span);
  return [/\n/, /[,;|]\s*/].some((separator) => {
    const [a, b] = [before.split(separator), after.split(separator)].map((items) =>
      items.map((item) => item.trim()).sort(),
    );
    return (
      a !== undefined &&
      b !== undefined &&
      a.length > 1 &&
      a.length === b.length &&
      a.every((item, index) => item === b[index])
    );
  });
}
