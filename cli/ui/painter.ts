/**
 * Puts frames on the terminal: only lines that changed are written, each at its own place, as one update.
 *
 * Ink's own writer erases and rewrites the whole frame, which flickers, and cannot fill the last row; its incremental one
 * (6.8) is off by a line. So Ink hands whole frames over (its `debug` mode), and they are painted here.
 */
import { EventEmitter } from 'node:events';

/** DEC mode 2026: terminals that know it show an update at once, the others ignore it. */
const BEGIN_UPDATE = '\x1b[?2026h';
const END_UPDATE = '\x1b[?2026l';
const RESET = '\x1b[0m';

/** What Ink asks of the stream that it writes to. */
export class Painter extends EventEmitter {
  readonly #terminal: NodeJS.WriteStream;
  readonly #left: AbortSignal;
  readonly isTTY = true;
  #painted: readonly string[] = [];

  /** Once `left` has aborted nothing is painted any more: Ink draws a last frame when the process ends. */
  constructor(terminal: NodeJS.WriteStream, left: AbortSignal) {
    super();
    this.#terminal = terminal;
    this.#left = left;
    terminal.on('resize', this.#onResize);
    left.addEventListener('abort', () => terminal.off('resize', this.#onResize), { once: true });
  }

  get columns(): number {
    return this.#terminal.columns;
  }

  get rows(): number {
    return this.#terminal.rows;
  }

  write(frame: string): boolean {
    if (this.#left.aborted) return true;
    const lines = frame.split('\n');
    const changes: string[] = [];
    // A row that the terminal does not have is taken for its last one.
    const rows = Math.min(Math.max(lines.length, this.#painted.length), this.#terminal.rows || lines.length);
    for (let row = 0; row < rows; row += 1) {
      const line = lines[row] ?? '';
      if (line === this.#painted[row]) continue;
      // Erased first: behind a line that fills the row the cursor still stands on its last cell.
      changes.push(`\x1b[${row + 1};1H\x1b[2K${line}${RESET}`);
    }
    this.#painted = lines;
    return changes.length === 0 || this.#terminal.write(BEGIN_UPDATE + changes.join('') + END_UPDATE);
  }

  /** What stood there was cut for another width, and terminals wrap it as they like. */
  readonly #onResize = () => {
    this.#painted = [];
    this.#terminal.write('\x1b[2J');
    this.emit('resize');
  };
}
