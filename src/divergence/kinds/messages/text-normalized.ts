import { textOf } from '../../../prompt/prompt.ts';
import type { KindRule } from '../../kind-rule.ts';
import { isSameKind } from '../../recognise/messages.ts';

export const textNormalized: KindRule = {
  kind: 'messages.text_normalized',
  advice:
    'Keep stored texts byte for byte: no trimming, no Unicode normalisation, no other escapes or line ends on the way back.',
  matches: (difference) => {
    if (!isSameKind(difference) || !difference.old || !difference.new) return false;
    const [before, after] = [textOf(difference.old), textOf(difference.new)];
    return before !== after && normalised(before) === normalised(after);
  },
};

function normalised(text: string): string {
  const lines = unescaped(text)
    .normalize('NFKC')
    .replace(/[\u200b\ufeff]/g, '')
    .split(/\r\n?|\n/);
  return lines
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
}

function unescaped(text: string): string {
  return text
    .replace(/\\u([0-9a-fA-F]{4})/g, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\\//g, '/')
    .replace(/&(amp|lt|gt|quot|#39|apos);/g, (_whole, name: string) => ENTITIES[name] ?? '');
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", apos: "'" };
