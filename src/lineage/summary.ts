/** Does a prompt open with a summary of what went before? The mark that a compaction leaves. */
import { type Prompt, textOf } from '../prompt/prompt.ts';

const SUMMARY =
  /\b(summary|summari[sz]ed|compact(ed|ion)|condensed|conversation (so far|history|is being continued)|continued from (a|the) previous|previous (conversation|session)|context checkpoint|hand-?off)\b/i;

/** A summary says what it is in its first lines. */
const OPENING_CHARACTERS = 600;

export function opensWithSummary(prompt: Prompt): boolean {
  return prompt.segments
    .slice(prompt.headLength)
    .filter(
      ({ messageIndex }) =>
        (messageIndex ?? 0) <= (prompt.segments[prompt.headLength]?.messageIndex ?? 0) + 1,
    )
    .some((segment) => segment.kind === 'text' && SUMMARY.test(textOf(segment).slice(0, OPENING_CHARACTERS)));
}
