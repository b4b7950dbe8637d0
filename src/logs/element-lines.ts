/**
 * On which line each element of a top-level array begins, so that a finding in a pretty-printed file can be opened in
 * an editor. `JSON.parse` knows no positions; this scan looks at strings and brackets alone. The text is valid JSON.
 */
export function elementLines(text: string, arrayName: string): number[] {
  const lines: number[] = [];
  let line = 1;
  let depth = 0;
  let lastString = '';
  let isInArray = false;
  for (let index = 0; index < text.length; index++) {
    switch (text[index]) {
      case '\n':
        line += 1;
        break;
      case '"': {
        const end = endOfString(text, index);
        if (depth === 1) lastString = text.slice(index + 1, end);
        index = end;
        break;
      }
      case '[':
      case '{':
        if (depth === 1) isInArray = text[index] === '[' && lastString === arrayName;
        if (depth === 2 && isInArray) lines.push(line);
        depth += 1;
        break;
      case ']':
      case '}':
        depth -= 1;
        break;
    }
  }
  return lines;
}

/** Index of the closing quote. A JSON string holds no raw line break. */
function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
  return index;
}
