/**
 * YAML as cassette writers make it (PyYAML, go-yaml) → plain values, and the line of each element of a list.
 *
 * YAML 1.2's core schema, with two changes that the writers' own schemas ask for: `!!binary` is bytes, and `12e34` and
 * `0o17` are strings (PyYAML leaves them unquoted), so that an id never turns into a number.
 */
import { isCollection, isScalar, isSeq, LineCounter, parseDocument, type ScalarTag } from 'yaml';

export interface YamlDocument {
  readonly value: unknown;
  /** Lines on which the elements of the list `name` at the top begin. */
  elementLines(name: string): number[];
}

/** Aliases are shared values, which PyYAML writes for any object that occurs twice. */
const MOST_ALIASES = 100_000;

/** `undefined` where the text is no YAML, or nested or woven beyond what anybody writes. */
export function readYaml(text: string): YamlDocument | undefined {
  try {
    return parsed(text);
  } catch {
    return undefined;
  }
}

function parsed(text: string): YamlDocument | undefined {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, {
    lineCounter,
    logLevel: 'error',
    uniqueKeys: false,
    customTags: (tags) => [
      ...tags.filter((tag) => !['EXP', 'OCT'].includes((tag as ScalarTag).format ?? '')),
      'binary',
    ],
  });
  if (document.errors.length > 0) return undefined;
  return {
    value: document.toJS({ maxAliasCount: MOST_ALIASES }),
    elementLines: (name) => {
      const list: unknown = document.get(name, true);
      if (!isSeq(list)) return [];
      return list.items.map((item) => {
        const start = isCollection(item) || isScalar(item) ? item.range?.[0] : undefined;
        return start === undefined ? 1 : lineCounter.linePos(start).line;
      });
    },
  };
}
