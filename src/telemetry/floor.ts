/**
 * The parts of a head as an attribute: one string each, `COMPONENT:TOKENS LABEL` with `t` tools, `s` system, `p` parameters.
 *
 *   t:1204 git__log
 *   s:800 system block 0
 *
 * Pure, so that the viewer may import it too.
 */
import type { FloorPart } from '../diagnosis.ts';

/** A head may hold thousands of tools; the large ones are what a person wants to know of. */
const MOST_PARTS = 128;
const MOST_LABEL_CHARACTERS = 128;

const LETTERS = { tools: 't', system: 's', parameters: 'p' } as const;
const COMPONENTS: Readonly<Record<string, FloorPart['component']>> = {
  t: 'tools',
  s: 'system',
  p: 'parameters',
};

export function formatFloor(parts: readonly FloorPart[] | null): string[] | undefined {
  return parts === null
    ? undefined
    : bounded(parts).map(
        ({ component, label, tokens }) =>
          `${LETTERS[component]}:${Math.round(tokens)} ${label.slice(0, MOST_LABEL_CHARACTERS)}`,
      );
}

function bounded(parts: readonly FloorPart[]): readonly FloorPart[] {
  if (parts.length <= MOST_PARTS) return parts;
  const largest = [...parts].sort((left, right) => right.tokens - left.tokens);
  const rest = largest.slice(MOST_PARTS - 1);
  const tokens = rest.reduce((sum, part) => sum + part.tokens, 0);
  const label = `${rest.length} smaller parts`;
  return [...largest.slice(0, MOST_PARTS - 1), { component: 'tools', label, tokens }];
}

const PART = /^([a-z]):(\d+) (.*)$/s;

/** A string that is not understood (written by a later version) is left out. `null` where there is none at all. */
export function parseFloor(texts: readonly string[]): FloorPart[] | null {
  const parts = texts.flatMap((text): FloorPart[] => {
    const [, letter = '', tokens, label = ''] = PART.exec(text) ?? [];
    const component = Object.hasOwn(COMPONENTS, letter) ? COMPONENTS[letter] : undefined;
    return component === undefined ? [] : [{ component, label, tokens: Number(tokens) }];
  });
  return parts.length === 0 ? null : parts;
}
