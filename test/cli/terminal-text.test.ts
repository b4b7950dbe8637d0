import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fitEnd,
  fitStart,
  plainData,
  plainText,
  truncate,
  truncateStart,
  widthOf,
  wrap,
} from '../../cli/terminal/terminal-text.ts';

describe('plain text', () => {
  it.each([
    ['a colour', 'a\x1b[31mb\x1b[0m', 'ab'],
    ['a window title', 'a\x1b]0;owned\x07b', 'ab'],
    ['a link', 'a\x1b]8;;http://x\x1b\\b', 'ab'],
    ['an escape that never ends', 'a\x1b]52;c;aGk', 'a'],
    ['a C1 control', 'a\x9b2Jb', 'ab'],
    ['a cursor move', 'a\x1b[2Ab\rc', 'ab c'],
    ['line breaks', 'a\r\nb\nc\u2028d', 'a b c d'],
    ['a bidirectional override', 'a\u202eb\u2066c', 'abc'],
    ['invisible tags', 'a\u{e0041}b', 'ab'],
    ['a bell and a null', 'a\x07\x00b', 'ab'],
  ])('drops %s', (_, text, plain) => {
    expect(plainText(text)).toBe(plain);
  });

  it('leaves other writing alone', () => {
    for (const text of ['Überlingen 💍', '結婚式', 'عرس', 'e\u0301']) expect(plainText(text)).toBe(text);
  });

  it('holds no control character, whatever it was made of', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        (text) => !/[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2028]/.test(plainText(text)),
      ),
    );
  });

  it('is made of all strings inside data, and of nothing else', () => {
    expect(plainData({ a: ['\x1b[1mx'], b: 1, c: null, d: { e: 'y\n' } })).toEqual({
      a: ['x'],
      b: 1,
      c: null,
      d: { e: 'y ' },
    });
  });
});

describe('widths', () => {
  it('counts cells, not characters', () => {
    expect(truncate('結婚式の計画', 5)).toBe('結婚…');
    expect(fitStart('結婚', 6)).toBe('結婚  ');
    expect(fitEnd('12', 4)).toBe('  12');
    expect(truncateStart('messages[12].content[0].text', 10)).toBe('…t[0].text');
  });

  it('never exceeds the width', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(30), (text, width) => {
        const plain = plainText(text);
        return widthOf(truncate(plain, width)) <= width && widthOf(fitStart(plain, width)) === width;
      }),
    );
  });

  it('wraps at spaces and cuts a word that is longer than the line', () => {
    expect(wrap('a bb ccc verylongword', 6)).toEqual(['a bb', 'ccc', 'veryl…']);
  });
});
