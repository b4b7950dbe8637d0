/**
 * A shell in a real pseudo-terminal, and what a person would see of it: the bytes go through a terminal emulator. Commands
 * are typed, keys are pressed, the screen is read.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IPty } from '@lydell/node-pty';
import xterm from '@xterm/headless';

export const COMMAND = `${JSON.stringify(process.execPath)} ${JSON.stringify(resolve('dist/cli/main.js'))}`;

export const KEYS = {
  enter: '\r',
  escape: '\x1b',
  up: '\x1b[A',
  down: '\x1b[B',
  interrupt: '\x03',
  backspace: '\x7f',
} as const;

export interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
}

const PATIENCE_MS = 20_000;

export class Terminal {
  readonly #process: IPty;
  readonly #screen: xterm.Terminal;
  /** Where the shell runs: empty at first. */
  readonly directory: string;
  /** Everything that was written to the terminal. */
  bytes = '';
  title = '';
  bells = 0;

  private constructor(process: IPty, directory: string, columns: number, rows: number) {
    this.#process = process;
    this.directory = directory;
    this.#screen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
    this.#screen.onTitleChange((title) => {
      this.title = title;
    });
    this.#screen.onBell(() => {
      this.bells += 1;
    });
    process.onData((data) => {
      this.bytes += data;
      this.#screen.write(data);
    });
  }

  static async open({ columns = 80, rows = 24, env = {} }: TerminalOptions = {}): Promise<Terminal> {
    const { spawn } = await import('@lydell/node-pty');
    const { CI: _, NO_COLOR: __, ...inherited } = process.env;
    const directory = mkdtempSync(join(tmpdir(), 'prefixtrace-terminal-'));
    const shell = spawn('/bin/sh', [], {
      cols: columns,
      rows,
      cwd: directory,
      env: { ...inherited, TERM: 'xterm-256color', PS1: '$ ', TZ: 'UTC', ENV: '', ...env },
    });
    const terminal = new Terminal(shell, directory, columns, rows);
    await terminal.waitFor('$ ');
    return terminal;
  }

  /** The rows that are in sight, without blanks at their ends. */
  screen(): string {
    const buffer = this.#screen.buffer.active;
    return Array.from(
      { length: this.#screen.rows },
      (_, row) => buffer.getLine(buffer.baseY + row)?.translateToString(true) ?? '',
    ).join('\n');
  }

  isOnAlternateScreen(): boolean {
    return this.#screen.buffer.active.type === 'alternate';
  }

  /** As the program last left it. */
  isCursorShown(): boolean {
    return this.bytes.lastIndexOf('\x1b[?25h') >= this.bytes.lastIndexOf('\x1b[?25l');
  }

  write(text: string): void {
    this.#process.write(text);
  }

  resize(columns: number, rows: number): void {
    this.#process.resize(columns, rows);
    this.#screen.resize(columns, rows);
  }

  async waitFor(wanted: string | RegExp | (() => boolean)): Promise<void> {
    const isThere = () =>
      typeof wanted === 'function'
        ? wanted()
        : typeof wanted === 'string'
          ? this.screen().includes(wanted)
          : wanted.test(this.screen());
    for (const endMs = Date.now() + PATIENCE_MS; !isThere(); await sleep(15)) {
      if (Date.now() > endMs) throw new Error(`the screen never showed ${String(wanted)}:\n${this.screen()}`);
    }
  }

  /** One key, and the screen that answers it. */
  async press(key: string, answer: string | RegExp): Promise<void> {
    this.write(key);
    await this.waitFor(answer);
  }

  /** Runs a command of the shell to its end and gives what it wrote. */
  async run(command: string): Promise<string> {
    const mark = `done-${Math.random().toString(36).slice(2)}`;
    const from = this.bytes.length;
    this.write(`${command}; echo ${mark.slice(0, 4)}""${mark.slice(4)}\r`);
    await this.waitFor(() => this.bytes.includes(mark, from));
    return this.bytes.slice(from, this.bytes.indexOf(mark, from));
  }

  close(): void {
    this.#process.kill('SIGKILL');
    this.#screen.dispose();
  }
}
