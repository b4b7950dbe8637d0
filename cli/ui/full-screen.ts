/**
 * The alternate screen: the viewer leaves no trace in the scroll-back, and however the process ends, the terminal is
 * given back as it was.
 */
const ENTER = '\x1b[?1049h\x1b[?25l\x1b[2J\x1b[H';
const LEAVE = '\x1b[?25h\x1b[?1049l';
/** 128 + the number of the signal, as shells count. */
const SIGNALS = { SIGTERM: 143, SIGHUP: 129, SIGINT: 130 } as const;

/** Runs `show` on the alternate screen. `left` aborts when that is given back: nothing may be drawn from then on. */
export async function onFullScreen(
  stdout: NodeJS.WriteStream,
  stdin: NodeJS.ReadStream,
  show: (left: AbortSignal) => Promise<void>,
): Promise<void> {
  const left = new AbortController();
  const leave = () => {
    if (left.signal.aborted) return;
    left.abort();
    if (stdin.isTTY && stdin.isRaw) stdin.setRawMode(false);
    stdout.write(LEAVE);
  };
  const onSignal = (signal: NodeJS.Signals) => {
    leave();
    process.exit(SIGNALS[signal as keyof typeof SIGNALS] ?? 1); // only those signals are listened to
  };
  // The monitor runs before Node prints the error, which would be lost with the alternate screen.
  process.once('uncaughtExceptionMonitor', leave);
  process.once('exit', leave);
  for (const signal of Object.keys(SIGNALS)) process.once(signal, onSignal);
  stdout.write(ENTER);
  // What is typed before there is anyone to read it must not stand on the screen.
  if (stdin.isTTY) stdin.setRawMode(true);
  try {
    await show(left.signal);
  } finally {
    leave();
    process.off('uncaughtExceptionMonitor', leave);
    process.off('exit', leave);
    for (const signal of Object.keys(SIGNALS)) process.off(signal, onSignal);
  }
}
