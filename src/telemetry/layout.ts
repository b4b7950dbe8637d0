/**
 * The compact map of a prompt: one word per run of segments, in render order, joined by blanks.
 *
 *   t3:1204+ s1:800+ m12:18176-
 *   │ │ │   └ `+` shared with the baseline, `-` not
 *   │ │ └ tokens
 *   │ └ segments in the run
 *   └ component: `o` model, `t` tools, `p` parameters, `s` system, `m` messages
 *
 * Pure, so that the viewer may import it too. Invariant: `parseLayout(formatLayout(runs))` equals `runs`.
 */
import type { LayoutRun } from '../diagnosis.ts';

const LETTERS: Readonly<Record<LayoutRun['component'], string>> = {
  model: 'o',
  tools: 't',
  parameters: 'p',
  system: 's',
  messages: 'm',
};

const COMPONENTS: ReadonlyMap<string, LayoutRun['component']> = new Map(
  (Object.keys(LETTERS) as LayoutRun['component'][]).map((component) => [LETTERS[component], component]),
);

const RUN = /^([a-z])(\d+):(\d+)([+-])$/;

export function formatLayout(runs: readonly LayoutRun[]): string {
  return runs
    .map(
      (run) => `${LETTERS[run.component]}${run.segments}:${Math.round(run.tokens)}${run.shared ? '+' : '-'}`,
    )
    .join(' ');
}

/** A word that is not understood (written by a later version) is left out, the rest is still drawn. */
export function parseLayout(text: string): LayoutRun[] {
  const runs: LayoutRun[] = [];
  for (const word of text.split(' ')) {
    const [, letter = '', segments, tokens, sign] = RUN.exec(word) ?? [];
    const component = COMPONENTS.get(letter);
    if (component === undefined) continue;
    runs.push({ component, segments: Number(segments), tokens: Number(tokens), shared: sign === '+' });
  }
  return runs;
}
