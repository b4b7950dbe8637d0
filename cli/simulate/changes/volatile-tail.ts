/** What changes in the system prompt is taken out of it and said at the end of the newest message, behind the last mark. */
import type { Change } from './change.ts';
import { appendToTail } from './prompt-tail.ts';
import { mapSystemTexts, systemTexts } from './system-texts.ts';
import { piecesOf, type VolatilePieces } from './volatile-pieces.ts';

/** `pieces` has seen all system prompts of the recording: the first call must know what the second one changes. */
export function volatileTail(pieces: VolatilePieces): Change {
  return {
    name: 'volatile-tail',
    title: 'volatile part to the tail',
    obstacle: () => null,
    nothingToDo: 'no system prompt changes within a conversation',
    apply(body, { api, rules }) {
      const isStable = pieces.isStable(systemTexts(api, body));
      let moved = '';
      const steady = mapSystemTexts(api, body, (text) => {
        const all = piecesOf(text);
        moved += all.filter((piece) => !isStable(piece)).join('');
        return all.filter(isStable).join('');
      });
      if (moved === '') return body;
      const whole = appendToTail(api, steady, { text: moved, needsMark: rules.setsMarks });
      return whole === steady ? body : whole;
    },
  };
}
