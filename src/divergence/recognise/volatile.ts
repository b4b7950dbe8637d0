/**
 * Volatile values: what a program writes anew each time. A value is recognised by both sides: when the changed lines
 * become equal once the values of one class are masked, that class is the cause.
 */
import type { TextForm } from '../../prompt/unknown-text.ts';
import { changedLines, type TextSpan } from '../text-span.ts';
import { MONTHS, WEEKDAYS } from './calendar-names.ts';

const MONTH = `(?:${MONTHS})[a-z]{0,4}\\.?`;
const WEEKDAY = `(?:(?:${WEEKDAYS})[a-zäöüéèêçà]{0,6}\\.?,?\\s+(?:der\\s+|den\\s+|le\\s+|el\\s+|the\\s+)?)`;
const DAY = '\\d{1,2}(?:st|nd|rd|th|er|º|ª)?\\.?';
const YEAR = '(?:,?\\s+(?:de\\s+)?\\d{4})?';
/** The weekday stands once, in front of all forms: with a copy in each the pattern takes twice as long to compile, 15 ms. */
const DATE = new RegExp(
  [
    `${WEEKDAY}?\\b(?:${[
      '\\d{4}[-/.]\\d{1,2}[-/.]\\d{1,2}\\b',
      '\\d{1,2}[-/.]\\d{1,2}[-/.]\\d{2,4}\\b',
      `${MONTH}\\s+${DAY}${YEAR}`,
      `${DAY}\\s+(?:de\\s+)?${MONTH}${YEAR}`,
    ].join('|')})`,
    '(?:\\d{4}\\s?年\\s?)?\\d{1,2}\\s?月\\s?\\d{1,2}\\s?日(?:\\s?[（(]?(?:星期|周|週)?[日月火水木金土一二三四五六][)）]?(?:曜日?)?)?',
    '(?:\\d{4}\\s?년\\s?)?\\d{1,2}\\s?월\\s?\\d{1,2}\\s?일',
    '\\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)\\b',
  ].join('|'),
  'giu',
);

const CLOCK = new RegExp(
  [
    String.raw`\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s?(?:Z|UTC|[+-]\d{2}:?\d{2}))?`,
    String.raw`\b\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s?[ap]\.?m\.?)?(?:\s?(?:GMT|UTC)(?:[+-]\d{1,2}(?::?\d{2})?)?)?`,
    String.raw`\b\d{1,2}\s?[ap]\.?m\b\.?`,
    String.raw`\b\d{1,2}\s?(?:h|Uhr)(?:\s?\d{2})?\b`,
    String.raw`(?:上午|下午|午前|午後|오전|오후)?\s?\d{1,2}\s?[時时点點시]\s?(?:\d{1,2}\s?[分분])?(?:\s?\d{1,2}\s?[秒초])?`,
    // An age: how long ago something was.
    String.raw`\b\d+(?:[.,]\d+)?\s*(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|weeks?)\s+(?:ago|old|since)\b`,
    String.raw`\b(?:vor|il y a|hace)\s+\d+\s*\p{L}+`,
    // Seconds, milliseconds or microseconds since 1970, from 2017 on.
    String.raw`\b1[5-9]\d{8}(?:\d{3}(?:\d{3})?)?(?:\.\d+)?\b`,
    // A date and time as numbers in a row.
    String.raw`\b20\d{2},\s*\d{1,2},\s*\d{1,2},\s*\d{1,2},\s*\d{1,2}(?:,\s*\d+)*`,
    String.raw`\b20\d{6}[T_-]?\d{4,6}(?:Z|\b)`,
  ].join('|'),
  'giu',
);
const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;
/** A token that no person wrote: hex, letters and digits mixed, or base64, of five characters or more. */
const TOKEN =
  /\b[A-Za-z0-9+/_-]{20,}={0,2}|\b(?=[A-Za-z0-9+/]{0,40}\d)(?=[A-Za-z0-9+/]{0,40}[A-Z])(?=[A-Za-z0-9+/]{0,40}[a-z])[A-Za-z0-9+/]{8,}={0,2}|\b(?=[\w-]{0,40}\d)(?=[\w-]{0,40}[A-Za-z])[\w-]{5,}\b|\b[0-9a-fA-F]{5,}\b/g;
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

/** Without these there is none of the class: a look spares long patterns, whose first use takes milliseconds. */
const IS_TOLD_BY: Partial<Record<keyof typeof MASKS, RegExp>> = { clock: /\d/, date: /\d|day\b/i };

const LONGEST_CHARACTERS = 2_000;

export type VolatileClass = keyof typeof MASKS;

export function mask(text: string, classes: readonly VolatileClass[]): string {
  let masked = text;
  for (const name of classes) {
    if (IS_TOLD_BY[name]?.test(masked) === false) continue;
    for (const pattern of MASKS[name]) masked = masked.replace(pattern, `\u0000${name}`);
  }
  return masked;
}

/** Does masking these classes, and nothing else, make the changed lines equal? */
export function isExplainedBy(span: TextSpan, classes: readonly VolatileClass[]): boolean {
  // A value that a program writes is short: a long change is an edit, and patterns over it would take long.
  if (Math.max(span.before.length, span.after.length) > LONGEST_CHARACTERS) return false;
  if (span.unknown) return span.unknown.isSame(classes.join(' ') as TextForm, span.newText);
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
  return [/\n/, /[,;|]\s*|[.:]\s+|[.:]$/].some((separator) => {
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
