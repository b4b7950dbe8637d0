/** A text as it is whatever was done to its spaces, line ends, Unicode form and escapes on the way. */

export function normalised(text: string): string {
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
