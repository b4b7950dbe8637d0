/** A text without the states and counts of what it lists. */
import { STATE_WORDS } from './text.ts';

export function maskStates(text: string): string {
  return text.replace(STATE_WORDS, '\u0000').replace(/\d+/g, '\u0001');
}
