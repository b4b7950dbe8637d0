/**
 * The excerpts of a divergence on their way out: only with content capture on, through the application's own redaction,
 * and cut short. One of the two being held back holds back the other: they say nearly the same.
 */
import type { Divergence, Evidence } from '../diagnosis.ts';
import { guard, report } from '../guard.ts';

/** Long enough to see the clock or the id that changed, too short to carry a prompt. */
const EXCERPT_MAX_CHARACTERS = 200;

/** Where an excerpt comes from. */
export interface ExcerptPlace {
  /** The older prompt or the newer one. */
  readonly side: 'before' | 'after';
  readonly component: Divergence['component'];
  /** Path of the text in the body of the request. */
  readonly path: string;
}

/** What may be exported of a text. It runs before the text is cut, on some 200 characters around the change. */
export type Redact = (text: string, where: ExcerptPlace) => string;

export interface Excerpt {
  readonly before: string;
  readonly after: string;
}

/** From what the engine found to what may be exported; `null`: nothing. */
export type ExportExcerpt = (excerpt: Evidence['excerpt'], divergence: Divergence) => Excerpt | null;

export function createExcerptExport(captureContent: boolean, redact: Redact | undefined): ExportExcerpt {
  return (excerpt, { component, leaf }) => {
    if (!captureContent || excerpt === null) return null;
    const exported = (side: ExcerptPlace['side']): string | undefined => {
      const text =
        redact === undefined
          ? excerpt[side]
          : redacted(redact, excerpt[side], { side, component, path: leaf });
      return text?.slice(0, EXCERPT_MAX_CHARACTERS);
    };
    const before = exported('before');
    const after = before === undefined ? undefined : exported('after');
    return before === undefined || after === undefined ? null : { before, after };
  };
}

function redacted(redact: Redact, text: string, where: ExcerptPlace): string | undefined {
  const result: unknown = guard('an excerpt could not be redacted and is not exported', () =>
    redact(text, where),
  );
  if (typeof result === 'string') return result;
  if (result !== undefined) report('a redaction gave no text, the excerpt is not exported', typeof result);
  return undefined;
}
