/** The one table of keys: what is pressed, what it does, and what the help says. */
export type Command =
  | 'up'
  | 'down'
  | 'pageUp'
  | 'pageDown'
  | 'first'
  | 'last'
  | 'open'
  | 'back'
  | 'lineages'
  | 'timeline'
  | 'next'
  | 'previous'
  | 'filter'
  | 'help'
  | 'quit'
  | 'interrupt'
  | 'erase';

/** What the terminal reports of a key press; the names are Ink's. */
export interface KeyPress {
  readonly upArrow?: boolean;
  readonly downArrow?: boolean;
  readonly leftArrow?: boolean;
  readonly pageUp?: boolean;
  readonly pageDown?: boolean;
  readonly home?: boolean;
  readonly end?: boolean;
  readonly return?: boolean;
  readonly escape?: boolean;
  readonly backspace?: boolean;
  readonly delete?: boolean;
  readonly ctrl?: boolean;
}

interface Binding {
  readonly command: Command;
  readonly keys: readonly (keyof KeyPress)[];
  readonly letters: string;
  /** As the help names it; bindings without are not worth a line. */
  readonly shown?: string;
  readonly does?: string;
}

export const BINDINGS: readonly Binding[] = [
  { command: 'up', keys: ['upArrow'], letters: 'k', shown: '↑ k', does: 'up' },
  { command: 'down', keys: ['downArrow'], letters: 'j', shown: '↓ j', does: 'down' },
  { command: 'pageUp', keys: ['pageUp'], letters: '', shown: 'PgUp PgDn', does: 'a page up, a page down' },
  { command: 'pageDown', keys: ['pageDown'], letters: ' ' },
  { command: 'first', keys: ['home'], letters: 'g', shown: 'g G', does: 'to the first, to the last' },
  { command: 'last', keys: ['end'], letters: 'G' },
  { command: 'open', keys: ['return'], letters: '', shown: '⏎', does: 'open what is chosen' },
  {
    command: 'back',
    keys: ['escape', 'leftArrow'],
    letters: '',
    shown: 'esc',
    does: 'back; on the overview, clear the filter',
  },
  { command: 'lineages', keys: [], letters: 'l', shown: 'l', does: 'all lineages' },
  { command: 'timeline', keys: [], letters: 't', shown: 't', does: 'the timeline around this call' },
  { command: 'next', keys: [], letters: 'n', shown: 'n p', does: 'next, previous call of this kind' },
  { command: 'previous', keys: [], letters: 'pN' },
  { command: 'filter', keys: [], letters: '/', shown: '/', does: 'filter by thread, phase, model or kind' },
  { command: 'help', keys: [], letters: '?', shown: '?', does: 'this list' },
  { command: 'quit', keys: [], letters: 'q', shown: 'q', does: 'quit' },
];

export function commandFor(input: string, key: KeyPress): Command | undefined {
  if (key.ctrl && input === 'c') return 'interrupt';
  const binding = BINDINGS.find(
    ({ keys, letters }) =>
      keys.some((name) => key[name]) || (!key.ctrl && input.length === 1 && letters.includes(input)),
  );
  return binding?.command;
}

/** While a filter is typed, letters are text and only these keys act. */
export function typingCommandFor(input: string, key: KeyPress): Command | undefined {
  if (key.ctrl && input === 'c') return 'interrupt';
  if (key.return) return 'open';
  if (key.escape) return 'back';
  return key.backspace || key.delete ? 'erase' : undefined;
}

/**
 * Keys that were pressed faster than the terminal was read arrive as one text; each of them counts. Escape sequences
 * never come so: Ink has told them apart already.
 */
export function keysOf(input: string, key: KeyPress): readonly (readonly [input: string, key: KeyPress])[] {
  if (input.length < 2 || !/^[\x20-\x7e\r\n]+$/.test(input)) return [[input, key]];
  return [...input].map((letter) =>
    letter === '\r' || letter === '\n' ? ['', { return: true }] : [letter, {}],
  );
}
