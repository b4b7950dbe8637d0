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
  | 'floor'
  | 'compare'
  | 'next'
  | 'previous'
  | 'firstOfKind'
  | 'sort'
  | 'reverse'
  | 'filter'
  | 'jump'
  | 'copy'
  | 'export'
  | 'help'
  | 'quit'
  | 'interrupt'
  | 'erase';

/** What the terminal reports of a key press; the names are Ink's. */
export interface KeyPress {
  readonly upArrow?: boolean;
  readonly downArrow?: boolean;
  readonly leftArrow?: boolean;
  readonly rightArrow?: boolean;
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

export interface Binding {
  readonly command: Command;
  readonly keys: readonly (keyof KeyPress)[];
  readonly letters: string;
  /** With Ctrl, as in vi and less. */
  readonly control?: string;
  /** As the help names it; bindings without are not worth a line. */
  readonly shown?: string;
  readonly does?: string;
}

export interface KeyGroup {
  readonly title: string;
  readonly bindings: readonly Binding[];
}

export const KEY_GROUPS: readonly KeyGroup[] = [
  {
    title: 'Move',
    bindings: [
      { command: 'up', keys: ['upArrow'], letters: 'k', control: 'p', shown: '↑ k', does: 'up' },
      { command: 'down', keys: ['downArrow'], letters: 'j', control: 'n', shown: '↓ j', does: 'down' },
      {
        command: 'pageUp',
        keys: ['pageUp'],
        letters: '',
        control: 'bu',
        shown: 'PgUp PgDn',
        does: 'by a page',
      },
      { command: 'pageDown', keys: ['pageDown'], letters: ' ', control: 'fd' },
      { command: 'first', keys: ['home'], letters: 'g', shown: 'g G', does: 'first, last' },
      { command: 'last', keys: ['end'], letters: 'G' },
      {
        command: 'open',
        keys: ['return', 'rightArrow'],
        letters: '',
        shown: '⏎ →',
        does: 'open what is chosen',
      },
      {
        command: 'back',
        keys: ['escape', 'leftArrow', 'backspace', 'delete'],
        letters: 'h',
        shown: 'esc ←',
        does: 'back; on the overview, clear the filter',
      },
    ],
  },
  {
    title: 'Go to',
    bindings: [
      { command: 'lineages', keys: [], letters: 'l', shown: 'l', does: 'all lineages' },
      { command: 'timeline', keys: [], letters: 't', shown: 't', does: 'the timeline around this call' },
      { command: 'floor', keys: [], letters: 'F', shown: 'F', does: 'the floor: what every call pays' },
      { command: 'next', keys: [], letters: 'n', shown: 'n p', does: 'next, previous call of this kind' },
      { command: 'previous', keys: [], letters: 'pN' },
      { command: 'firstOfKind', keys: [], letters: 'f', shown: 'f', does: 'first call of this kind' },
      {
        command: 'jump',
        keys: [],
        letters: ':',
        shown: ':',
        does: 'jump to a call, a lineage, a kind, a screen',
      },
    ],
  },
  {
    title: 'Do',
    bindings: [
      { command: 'filter', keys: [], letters: '/', shown: '/', does: 'filter by thread, phase, model, kind' },
      {
        command: 'sort',
        keys: [],
        letters: 's',
        shown: 's r',
        does: 'sort lineages by the next column; reverse',
      },
      { command: 'reverse', keys: [], letters: 'r' },
      {
        command: 'compare',
        keys: [],
        letters: 'c',
        shown: 'c',
        does: 'mark a call, then compare another with it',
      },
      { command: 'copy', keys: [], letters: 'y', shown: 'y', does: 'copy this as Markdown' },
      { command: 'export', keys: [], letters: 'e', shown: 'e', does: 'write this to a Markdown file' },
      { command: 'help', keys: [], letters: '?', shown: '?', does: 'this list' },
      { command: 'quit', keys: [], letters: 'q', shown: 'q', does: 'quit' },
    ],
  },
];

const BINDINGS = KEY_GROUPS.flatMap(({ bindings }) => bindings);

export function commandFor(input: string, key: KeyPress): Command | undefined {
  if (key.ctrl) {
    if (input === 'c') return 'interrupt';
    return BINDINGS.find(({ control }) => input.length === 1 && control?.includes(input))?.command;
  }
  return BINDINGS.find(
    ({ keys, letters }) => keys.some((name) => key[name]) || (input.length === 1 && letters.includes(input)),
  )?.command;
}

/** While something is typed, letters are text and only these keys act. */
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
