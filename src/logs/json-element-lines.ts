/**
 * On which line each element of an array begins, wherever in a JSON document the array lies. `JSON.parse` knows no
 * positions; this scan looks at strings and brackets alone. The text is valid JSON.
 */
const EVERY = '*';

/** Lines of the elements of the array at `path`, in order of the document; `*` stands for every element of an array. */
export function jsonElementLines(text: string, path: readonly string[]): number[] {
  const lines: number[] = [];
  /** One entry a bracket. `matched`: how many parts of the path led here; -1 where another way did. */
  const open: { matched: number; isArray: boolean }[] = [];
  let line = 1;
  let name = '';
  for (let index = 0; index < text.length; index++) {
    switch (text[index]) {
      case '\n':
        line += 1;
        break;
      case '"': {
        const end = endOfString(text, index);
        const parent = open.at(-1);
        if (parent?.isArray && parent.matched === path.length) lines.push(line);
        // A value may take the name's place: the next name comes before the next bracket.
        else name = text.slice(index + 1, end);
        index = end;
        break;
      }
      case '[':
      case '{': {
        const parent = open.at(-1);
        if (parent?.isArray && parent.matched === path.length) lines.push(line);
        open.push({ matched: matchedBelow(parent, name, path), isArray: text[index] === '[' });
        break;
      }
      case ']':
      case '}':
        open.pop();
        break;
    }
  }
  return lines;
}

/** Parts of the path that a value matches: all before it and its own, or none (-1). */
function matchedBelow(
  parent: { matched: number; isArray: boolean } | undefined,
  name: string,
  path: readonly string[],
): number {
  if (parent === undefined) return 0;
  if (parent.matched < 0 || parent.matched >= path.length) return -1;
  const part = path[parent.matched];
  return (parent.isArray ? part === EVERY : part === name) ? parent.matched + 1 : -1;
}

/** Index of the closing quote. */
function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return quote;
    quote = text.indexOf('"', quote + 1);
  }
  return text.length;
}
