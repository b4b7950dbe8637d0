/**
 * The part of a system prompt that a change lies in: what its heading calls it, and whether text was put in, taken out or
 * replaced. Prompts are sectioned by Markdown headings, by tags and by labels that end a line.
 */
import { changedLines, type TextSpan } from '../text-span.ts';

const HEADING = /^\s*(#{1,6}\s|\*\*[^*]+\*\*\s*$|<[a-zA-Z][\w-]*[^>]*>|[^\n]{2,60}:\s*$)/;
const FARTHEST_LINES = 40;
const FARTHEST_CHARACTERS = 4_000;

/** Heading, tag or label above the change, and those at the start of the changed lines; in plain words. */
export function headingOf(span: TextSpan): string {
  const lines = span.oldText.slice(Math.max(0, span.start - FARTHEST_CHARACTERS), span.start).split('\n');
  const own = lines.pop() ?? '';
  const above = lines.slice(-FARTHEST_LINES).reverse();
  const found: string[] = HEADING.test(own) ? [own] : [];
  for (const line of above) {
    if (/^\s*<\//.test(line)) break;
    if (!HEADING.test(line)) continue;
    found.push(line);
    // A label has a heading above it; a heading has none that matters.
    if (!/:\s*$/.test(line)) break;
  }
  return plainWords(found.join('\n'));
}

/** Labels inside the changed lines: `Open files: a.ts` names itself. */
export function labelsOf(span: TextSpan): string {
  const { before, after } = changedLines(span);
  const labels = `${before}\n${after}`
    .split('\n')
    .map((line) => /^\s*([-*]\s*)?([^\n:=]{2,40})[:=]/.exec(line)?.[2] ?? headingPart(line));
  return plainWords(labels.join('\n'));
}

function headingPart(line: string): string {
  return HEADING.test(line) ? line.slice(0, 80) : '';
}

function plainWords(text: string): string {
  return text.replace(/[_-]+/g, ' ');
}

/** Text came or went, with text on both sides of it as before. */
export function isInsertion(span: TextSpan): boolean {
  const isOneSided = (span.before.trim() === '') !== (span.after.trim() === '');
  const hasTextBehind =
    span.oldText.length > span.start + span.before.length &&
    span.newText.length > span.start + span.after.length;
  const changed = span.before.trim() === '' ? span.after : span.before;
  return isOneSided && hasTextBehind && changed.length > 8 && isUnit(span, changed);
}

/** A line, paragraph or sentence of its own: words put into a sentence are an edit. */
function isUnit({ oldText, newText, start }: TextSpan, changed: string): boolean {
  const text = oldText.length > newText.length ? oldText : newText;
  // The same change may be read as shifted by characters that both of its ends share.
  for (let shift = 0; shift <= Math.min(changed.length, start); shift += 1) {
    const from = start - shift;
    const to = from + changed.length;
    if (shift > 0 && text[from] !== text[to]) return false;
    if (isBorder(text, from) && isBorder(text, to)) return true;
  }
  return false;
}

/** Between two lines, blocks or sentences. */
function isBorder(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return true;
  if (/\n/.test(text.slice(at - 1, at + 1)) || /[>\]}]/.test(text[at - 1] ?? '') || text[at] === '<')
    return true;
  return /[.!?。！？:;]\s*$/.test(text.slice(Math.max(0, at - 3), at));
}

/** Every item of a list was replaced by others, under a heading that stayed. */
export function isListReplaced(span: TextSpan): boolean {
  const { before, after } = changedLines(span);
  const [old, now] = [before, after].map((text) =>
    text.split('\n').filter((line) => /^\s*([-*•]|\d+[.)])\s/.test(line)),
  );
  if (!old || !now || old.length < 1 || now.length < 1 || old.length + now.length < 3) return false;
  const words = new Set(wordsOf(old));
  const shared = wordsOf(now).filter((word) => words.has(word)).length;
  return shared / Math.max(1, wordsOf(now).length) < 0.34;
}

function wordsOf(lines: readonly string[]): string[] {
  return (
    lines
      .join(' ')
      .toLowerCase()
      .match(/[\p{L}\p{N}]{3,}/gu) ?? []
  );
}
