/**
 * What a source could not use. It is told on stderr and counted in the summary; it never ends a run by itself.
 */
import { plainText } from '../terminal/terminal-text.ts';

export interface Note {
  /** `file:line` where there is one. */
  readonly source: string | null;
  readonly reason: string;
}

export interface NoteList {
  readonly count: number;
  /** The first of them. */
  readonly first: readonly Note[];
}

/** Enough to see the pattern; a log with a million bad lines must not fill the terminal or the memory. */
const MAX_KEPT = 20;
const MAX_PRINTED = 5;

export class Notes implements NoteList {
  count = 0;
  readonly first: Note[] = [];

  add(note: Note): void {
    this.count += 1;
    if (this.first.length < MAX_KEPT) this.first.push(note);
  }
}

/** What went wrong while reading calls. */
export interface SourceNotes {
  /** Calls whose body is no prompt that we can read. */
  readonly unreadable: Notes;
  /** Lines of the log that hold no call. */
  readonly skippedLines: Notes;
  /** Files that could not be read, or not to their end: calls are missing. */
  readonly unreadFiles: Notes;
  /** What lies in a folder beside the logs and is none: nothing is missing. */
  readonly foreignFiles: Notes;
}

export function createSourceNotes(): SourceNotes {
  return {
    unreadable: new Notes(),
    skippedLines: new Notes(),
    unreadFiles: new Notes(),
    foreignFiles: new Notes(),
  };
}

export function addNotes(more: SourceNotes, notes: SourceNotes): void {
  for (const name of ['unreadable', 'skippedLines', 'unreadFiles', 'foreignFiles'] as const) {
    for (const note of more[name].first) notes[name].add(note);
    notes[name].count += more[name].count - more[name].first.length;
  }
}

export function printNotes(notes: SourceNotes, print: (line: string) => void): void {
  printList(notes.unreadFiles, 'not read', 'files not read', print);
  printList(notes.foreignFiles, 'passed over', 'files passed over', print);
  printList(notes.skippedLines, 'skipped', 'lines skipped', print);
  printList(notes.unreadable, 'not diagnosed', 'calls not diagnosed', print);
}

function printList(notes: NoteList, one: string, many: string, print: (line: string) => void): void {
  for (const { source, reason } of notes.first.slice(0, MAX_PRINTED)) {
    print(plainText(`prefixtrace: ${one}: ${source === null ? '' : `${source}: `}${reason}`));
  }
  if (notes.count > MAX_PRINTED) print(`prefixtrace: … ${notes.count} ${many} in all`);
}
