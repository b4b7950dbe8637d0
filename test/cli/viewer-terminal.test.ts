/** The built viewer in a real pseudo-terminal: what a person sees, and what is left when it ends, however it ends. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { recordStore } from '../support/recorded-store.ts';
import { weddingCalls } from '../support/reported-calls.ts';
import { COMMAND, KEYS, Terminal, type TerminalOptions } from '../support/terminal.ts';

let store = '';
beforeAll(async () => {
  store = mkdtempSync(join(tmpdir(), 'prefixtrace-viewer-'));
  await recordStore(store, weddingCalls());
});

const open: Terminal[] = [];
afterEach(() => {
  for (const terminal of open.splice(0)) terminal.close();
});

async function terminalWith(options: TerminalOptions = {}): Promise<Terminal> {
  const terminal = await Terminal.open(options);
  open.push(terminal);
  return terminal;
}

async function viewerIn(terminal: Terminal, source = store): Promise<void> {
  terminal.write(`${withProcessId(`${COMMAND} view ${source}`)}\r`);
  await terminal.waitFor('Fix first');
}

function withProcessId(command: string): string {
  return `sh -c 'echo $$ >viewer.pid; exec ${command}'`;
}

function signal(terminal: Terminal, name: NodeJS.Signals): void {
  process.kill(Number(readFileSync(join(terminal.directory, 'viewer.pid'), 'utf8')), name);
}

describe('the demo, from the first screen', () => {
  it('shows its costliest bug and the advice in one key press', async () => {
    const terminal = await terminalWith();
    terminal.write(`${COMMAND} demo\r`);
    await terminal.waitFor('Press Enter to open the viewer');
    await terminal.press(KEYS.enter, 'Fix first');
    await terminal.waitFor('a clock in the system prompt');
    await terminal.press(KEYS.enter, /call \d+ against call \d+/);
    expect(terminal.screen()).toContain('system[0].text, byte');
    expect(terminal.screen()).toMatch(/do +Take the clock out of the system prompt/);
  });
});

describe('keys', () => {
  it('lead through every screen and back', async () => {
    const terminal = await terminalWith();
    await viewerIn(terminal);
    await terminal.press('l', 'by avoidable');
    await terminal.press(KEYS.enter, 'uncached');
    await terminal.press(KEYS.down, /▸ +2 /);
    await terminal.press('c', 'Call 2 is marked');
    await terminal.press('n', /▸ +3 /);
    await terminal.press('c', 'call 2 beside call 3');
    await terminal.press(KEYS.escape, /▸ +3 /);
    await terminal.press(KEYS.enter, 'call 3 against call 2');
    await terminal.press('?', 'all lineages');
    await terminal.press(KEYS.escape, 'call 3 against call 2');
    await terminal.press(':', ':▏');
    terminal.write('planner');
    await terminal.press(KEYS.enter, 'wedding-42 › planner');
  });

  it('filter while letters are typed', async () => {
    const terminal = await terminalWith();
    await viewerIn(terminal);
    await terminal.press('/', '/▏');
    await terminal.press('ttl_', '/ttl_▏');
    await terminal.press(KEYS.enter, '1 call');
    await terminal.press(KEYS.escape, '8 calls');
  });

  it('copy a finding as Markdown to the clipboard of the terminal', async () => {
    const terminal = await terminalWith();
    await viewerIn(terminal);
    await terminal.press(KEYS.enter, 'call 4 against call 3');
    await terminal.press('y', 'sent to the clipboard');
    const [, copied = ''] = /\x1b\]52;c;([^\x07]*)\x07/.exec(terminal.bytes) ?? [];
    expect(Buffer.from(copied, 'base64').toString()).toContain('### system.timestamp');
  });

  it('write what is seen to a file that only its owner may read', async () => {
    const terminal = await terminalWith();
    await viewerIn(terminal);
    await terminal.press('e', 'Written to prefixtrace-overview.md');
    await terminal.press('e', 'Written to prefixtrace-overview-2.md');
    await terminal.press('q', '$ ');
    expect(await terminal.run('ls -l prefixtrace-overview.md')).toContain('-rw-------');
    expect(await terminal.run('cat prefixtrace-overview.md')).toContain('a clock in the system prompt');
  });
});

describe('the terminal is as before', () => {
  async function stateOf(terminal: Terminal): Promise<string> {
    const said = await terminal.run('stty -a');
    return said.slice(said.indexOf('speed '));
  }

  async function expectRestored(terminal: Terminal, before: string): Promise<void> {
    await terminal.waitFor(() => !terminal.isOnAlternateScreen());
    // What is typed while a program still ends may be read by it.
    await terminal.waitFor(() => terminal.bytes.trimEnd().endsWith('$'));
    expect(terminal.isCursorShown()).toBe(true);
    expect(terminal.screen()).toContain('a line from before');
    expect(terminal.screen()).not.toContain('Fix first');
    expect(await stateOf(terminal)).toBe(before);
  }

  it.each([
    ['q', (terminal: Terminal) => terminal.write('q')],
    ['Ctrl-C', (terminal: Terminal) => terminal.write(KEYS.interrupt)],
    ['SIGTERM', (terminal: Terminal) => signal(terminal, 'SIGTERM')],
    ['SIGHUP', (terminal: Terminal) => signal(terminal, 'SIGHUP')],
  ])('after %s', async (_name, leave) => {
    const terminal = await terminalWith();
    await terminal.run('echo a line from before');
    const before = await stateOf(terminal);
    await viewerIn(terminal);
    leave(terminal);
    await expectRestored(terminal, before);
  });

  it('after a crash, which is told on the screen that was there', async () => {
    const crash = join(mkdtempSync(join(tmpdir(), 'prefixtrace-crash-')), 'crash.mjs');
    writeFileSync(crash, 'process.on("SIGUSR2", () => { throw new Error("a crash on purpose"); });\n');
    const terminal = await terminalWith({ rows: 40 });
    await terminal.run('echo a line from before');
    const before = await stateOf(terminal);
    terminal.write(`NODE_OPTIONS="--import ${crash}" ${withProcessId(`${COMMAND} view ${store}`)}\r`);
    await terminal.waitFor('Fix first');
    signal(terminal, 'SIGUSR2');
    await terminal.waitFor('a crash on purpose');
    await expectRestored(terminal, before);
  });
});

describe('any size', () => {
  it('is redrawn for, from 60 × 15 to 300 × 100 and back', async () => {
    const terminal = await terminalWith({ columns: 60, rows: 15 });
    await viewerIn(terminal);
    for (const [columns, rows] of [
      [300, 100],
      [60, 15],
      [160, 50],
      [80, 24],
    ] as const) {
      terminal.resize(columns, rows);
      await terminal.waitFor(() => terminal.screen().split('\n')[1] === '─'.repeat(columns));
      await terminal.waitFor(() => terminal.screen().split('\n')[rows - 1]?.includes('choose') === true);
      expect(terminal.screen().match(/Fix first/g)).toHaveLength(1);
    }
  });
});

describe('without colour', () => {
  it('no colour is sent, and shapes say the same', async () => {
    const terminal = await terminalWith({ env: { NO_COLOR: '1' } });
    await viewerIn(terminal);
    expect(terminal.bytes).not.toMatch(/\x1b\[(?:[0-9;]*;)?(?:3[0-7]|38|9[0-7])(?:;[0-9;]*)?m/);
    await terminal.press('l', 'by avoidable');
    await terminal.press(KEYS.enter, '╳');
  });
});

describe('hostile data', () => {
  it('is shown, and cannot drive the terminal', async () => {
    const hostile = mkdtempSync(join(tmpdir(), 'prefixtrace-hostile-'));
    const thread = 'x\x1b]0;owned\x07\x1b[2J\x1b[31m\x9b31m\u202Ereversed\x07\x1b[?1049l';
    await recordStore(
      hostile,
      weddingCalls().map((call) => ({
        ...call,
        scope: { ...call.scope, thread, phase: `\x1b[5m${thread}` },
      })),
    );
    const terminal = await terminalWith();
    await viewerIn(terminal, hostile);
    await terminal.press('l', 'by avoidable');
    await terminal.press(KEYS.enter, 'uncached');
    expect(terminal.title).toBe('');
    expect(terminal.bells).toBe(0);
    expect(terminal.isOnAlternateScreen()).toBe(true);
    expect(terminal.bytes).not.toContain('\x1b[5m');
    expect(terminal.bytes).not.toContain('\u202E');
    expect(terminal.screen()).toContain('reversed');
  });
});

describe('an empty store', () => {
  it('says what to do, and shows calls as they come', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'prefixtrace-empty-'));
    const terminal = await terminalWith();
    terminal.write(`${COMMAND} view ${empty}\r`);
    await terminal.waitFor('Wrap your client with observe()');
    await recordStore(empty, weddingCalls());
    await terminal.waitFor('8 calls');
  });
});
