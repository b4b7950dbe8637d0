/** Resolves with the first of these keys that is pressed. The terminal is in raw mode meanwhile, and only meanwhile. */
export async function waitForKey(keys: readonly string[]): Promise<string> {
  const { stdin } = process;
  stdin.setRawMode(true);
  stdin.resume();
  try {
    return await new Promise<string>((resolve) => {
      const onData = (bytes: Buffer | string) => {
        const key = keys.find((candidate) => String(bytes).startsWith(candidate));
        if (key === undefined) return;
        stdin.off('data', onData);
        resolve(key);
      };
      stdin.on('data', onData);
    });
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
  }
}
