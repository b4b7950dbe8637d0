import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { Tiktoken } from 'js-tiktoken/lite';
import cl100k from 'js-tiktoken/ranks/cl100k_base';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { describe, expect, it } from 'vitest';
import { countText, sampleOf } from '../../src/tokens/count-text.ts';
import { createEncoder } from '../../src/tokens/encoder.ts';

const encoder = createEncoder(o200k);
const reference = new Tiktoken(o200k);

function uncut(text: string): number {
  return reference.encode(text, [], []).length;
}

function counted(text: string): number {
  const { text: sample, factor } = sampleOf(text);
  return Math.round(countText(sample, encoder) * factor);
}

/** Deviation from an uncut encode. */
function error(text: string): number {
  return Math.abs(counted(text) / uncut(text) - 1);
}

const root = new URL('../../', import.meta.url);
const code = readFileSync(new URL('node_modules/typescript/lib/lib.dom.d.ts', root), 'utf8');
const json = readFileSync(
  new URL('node_modules/typescript/lib/de/diagnosticMessages.generated.json', root),
  'utf8',
);
const prose = readFileSync(new URL('node_modules/typescript/ThirdPartyNoticeText.txt', root), 'utf8');

/** Numbers that are the same in each run. */
function randomUnder(limit: number, seed = 1): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

function repeated(length: number, next: () => string): string {
  let text = '';
  while (text.length < length) text += next();
  return text.slice(0, length);
}

function base64(length: number): string {
  const byte = randomUnder(256);
  return Buffer.from(Array.from({ length: Math.ceil((length * 3) / 4) }, byte))
    .toString('base64')
    .slice(0, length);
}

const SENTENCES = [
  '今天天气很好，我们去公园散步。',
  '東京タワーに行きました。',
  '机器学习是人工智能的一个分支',
  '한국어 문장도 있습니다. ',
];
const sentence = randomUnder(SENTENCES.length);
const cjk = repeated(20_000, () => SENTENCES[sentence()] as string);

describe('counting against an uncut encode', () => {
  it.each([
    ['prose', prose.slice(0, 60_000)],
    ['code', code.slice(0, 100_000)],
    ['JSON', json.slice(0, 100_000)],
    ['CJK', cjk],
    ['base64', base64(60_000)],
  ])('counts %s as it is', (_, text) => {
    expect(error(text)).toBeLessThan(0.001);
  });

  it('counts every short text exactly, with either vocabulary', () => {
    const older = createEncoder(cl100k);
    const olderReference = new Tiktoken(cl100k);
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 120 }),
      fc.string({ unit: 'grapheme', maxLength: 120 }),
      fc.string({ maxLength: 120 }),
      fc
        .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 })
        .map((units) => String.fromCharCode(...units)),
    );
    fc.assert(
      fc.property(text, (value) => {
        expect(countText(value, encoder)).toBe(uncut(value));
        expect(countText(value, older)).toBe(olderReference.encode(value, [], []).length);
      }),
      { numRuns: 300 },
    );
  });

  it('treats special tokens as text', () => {
    const text = 'a <|endoftext|> b <|endofprompt|>';
    expect(countText(text, encoder)).toBe(uncut(text));
    expect(countText(text, encoder)).toBeGreaterThan(10);
  });

  it.each([
    ['code', code],
    ['JSON', json],
    [
      'a mixture',
      [prose.slice(0, 100_000), json.slice(0, 100_000), cjk, base64(60_000), code.slice(0, 100_000)].join(
        '\n',
      ),
    ],
  ])('samples a huge text of %s with a small error', (_, text) => {
    expect(text.length).toBeGreaterThan(262_144);
    expect(sampleOf(text).text.length).toBeLessThan(140_000);
    expect(error(text)).toBeLessThan(0.02);
  });

  it('keeps the error of a cut run within a few percent', () => {
    const letters = randomUnder(26);
    const runs = [
      'a'.repeat(1_000),
      repeated(1_000, () => String.fromCharCode(97 + letters())),
      '='.repeat(1_000),
      '😀'.repeat(300),
    ];
    for (const run of runs) expect(error(run)).toBeLessThan(0.03);
  });
});

/** Limits are in processor time, which other programs on the machine do not stretch as much. */
describe('texts that are slow to encode', () => {
  const MEGABYTE = 1 << 20;
  const pick = randomUnder(0x10000, 7);
  const cases: [string, string][] = [
    ['one letter', 'a'.repeat(MEGABYTE)],
    ['letters', repeated(MEGABYTE, () => String.fromCharCode(97 + (pick() % 26)))],
    ['base64', base64(MEGABYTE)],
    ['spaces', ' '.repeat(MEGABYTE)],
    ['whitespace', repeated(MEGABYTE, () => ' \t\n\u00a0'.charAt(pick() % 4))],
    ['emoji', repeated(MEGABYTE, () => String.fromCodePoint(0x1f300 + (pick() % 700)))],
    ['lone surrogates', repeated(MEGABYTE, () => String.fromCharCode(0xd800 + (pick() % 2_048)))],
    ['ideographs', repeated(MEGABYTE, () => String.fromCharCode(0x4e00 + (pick() % 20_000)))],
    ['punctuation', repeated(MEGABYTE, () => '!@#$%^&*()-=+[]{}'.charAt(pick() % 17))],
    ['combining marks', `a${'\u0301'.repeat(MEGABYTE)}`],
  ];

  it.each(cases)('counts a megabyte of %s in well under a second', (_, text) => {
    const fresh = createEncoder(o200k);
    const { text: sample } = sampleOf(text);
    const before = process.cpuUsage();
    expect(countText(sample, fresh)).toBeGreaterThan(0);
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  });

  it('takes the longest text that is not sampled just as well', () => {
    for (const [, text] of cases) {
      const before = process.cpuUsage();
      expect(countText(text.slice(0, 262_144), encoder)).toBeGreaterThan(0);
      expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
    }
  });

  it('never cuts a pair of surrogates', () => {
    expect(countText('😀'.repeat(200), encoder)).toBe(200);
    expect(countText(`x${'😀'.repeat(40_000)}`, encoder)).toBeLessThan(40_010);
  });
});
