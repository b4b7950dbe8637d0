/**
 * What is kept of a text without its content: hashes of its pieces (lines, sentences), which tell where it changed, and of its
 * forms, which tell how. Of most texts nothing is kept beyond one hash: a short line has no pieces, and a form counts only
 * where it changes something.
 */
import { TEXT_FORMS } from '../../divergence/recognise/text-forms.ts';
import type { Hasher } from '../../fingerprint/hash.ts';
import type { Segment } from '../../prompt/prompt.ts';
import type { TextForm, UnknownText } from '../../prompt/unknown-text.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';

export interface TextSketch {
  /** 16 bits each: they are compared with one text, not looked for among many. */
  readonly pieces: readonly number[];
  readonly forms: ReadonlyMap<TextForm, number>;
}

const FORMS = Object.keys(TEXT_FORMS) as TextForm[];

/** What no rule asks of a text of this kind need not be kept of it. */
function isAsked(form: TextForm, { component, kind }: Segment): boolean {
  if (form === 'states') return component === 'system';
  if (form === 'json') return kind === 'tool_use';
  if (form === 'normalised' || form === 'placeholder' || form === 'query') return component === 'messages';
  return true;
}

/** Patterns over long texts take long, and what changes in them is seldom one value. */
const LONGEST_CHARACTERS = 20_000;
const SHORTEST_CHARACTERS = 4;
/** Most messages are never changed; the head is, and what a conversation opens with tells it from others. */
const MOST_PIECES = 400;
const MOST_PIECES_OF_MESSAGES = 12;
const LAST_OPENING_MESSAGE = 2;

export function sketchOf(text: string, segment: Segment, hasher: Hasher): TextSketch | null {
  const { component, messageIndex = 0 } = segment;
  if (text.length < SHORTEST_CHARACTERS || text.length > LONGEST_CHARACTERS) return null;
  const pieces = piecesOf(text, text.length);
  const isOpening = component !== 'messages' || messageIndex <= LAST_OPENING_MESSAGE;
  const most = isOpening ? MOST_PIECES : MOST_PIECES_OF_MESSAGES;
  const forms = new Map<TextForm, number>();
  for (const form of FORMS) {
    if (!isAsked(form, segment)) continue;
    const read = TEXT_FORMS[form](text);
    if (read !== text) forms.set(form, hash16(read, hasher));
  }
  const hasPieces = pieces.length > 1 && pieces.length <= most;
  if (!hasPieces && forms.size === 0) return null;
  return { pieces: hasPieces ? pieces.map((piece) => hash16(piece, hasher)) : [], forms };
}

/** Words of a short text, lines and sentences of a longer one. `length`: of the text that was sketched. */
function piecesOf(text: string, length: number): string[] {
  return text.split(length <= SHORT_CHARACTERS ? /(?<=\s)/ : /(?<=\n|[.!?。] )/);
}

const SHORT_CHARACTERS = 400;

/** `isText`: whether a text is the unknown one itself. */
export function unknownText(
  sketch: TextSketch | null,
  isText: (text: string) => boolean,
  hasher: Hasher,
): UnknownText {
  return {
    isSame(form, text) {
      const read = TEXT_FORMS[form](text);
      const kept = sketch?.forms.get(form);
      // A form that changed nothing is the text itself.
      return kept === undefined ? isText(read) : hash16(read, hasher) === kept;
    },
  };
}

/**
 * A text that stands in for an unknown one: the pieces that a newer text still has at its start and at its end, and between
 * them as many characters as were there.
 */
export function standIn(sketch: TextSketch | null, length: number, newer: string, hasher: Hasher): string {
  const kept = sketch?.pieces ?? [];
  if (kept.length === 0) return UNKNOWN.repeat(length);
  const pieces = piecesOf(newer, length);
  const hashes = pieces.map((piece) => hash16(piece, hasher));
  const most = Math.min(kept.length, hashes.length);
  let start = 0;
  while (start < most && kept[start] === hashes[start]) start += 1;
  let end = 0;
  while (end < most - start && kept.at(-1 - end) === hashes.at(-1 - end)) end += 1;
  const before = pieces.slice(0, start).join('');
  const after = end === 0 ? '' : pieces.slice(-end).join('');
  const between = length - before.length - after.length;
  return between < 0 ? UNKNOWN.repeat(length) : before + UNKNOWN.repeat(between) + after;
}

/** Of the private use area: no rule looks for it, and nobody reads it as text. */
const UNKNOWN = '\uE000';

export function hash32(text: string, hasher: Hasher): number {
  return Number(hasher.text(text) & 0xffff_ffffn);
}

function hash16(text: string, hasher: Hasher): number {
  return Number(hasher.text(text) & 0xffffn);
}

export function writeSketch(to: ByteWriter, sketch: TextSketch | null): void {
  to.count(sketch?.pieces.length ?? 0);
  for (const piece of sketch?.pieces ?? []) to.bits16(piece);
  to.list([...(sketch?.forms ?? [])], ([form, hash]) => {
    to.byte(FORMS.indexOf(form));
    to.bits16(hash);
  });
}

export function readSketch(from: ByteReader): TextSketch | null {
  const pieces = from.list(() => from.bits16());
  const forms = from.list(() => [FORMS[from.byte()] as TextForm, from.bits16()] as const);
  return pieces.length === 0 && forms.length === 0 ? null : { pieces, forms: new Map(forms) };
}
