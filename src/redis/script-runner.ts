/** Runs a script by its hash; a server that does not know it, or has forgotten it, is told it. */
import { createHash } from 'node:crypto';
import type { Commands } from './redis-client.ts';

export type ScriptRunner = (
  script: string,
  keys: readonly Buffer[],
  args: readonly (string | Buffer)[],
) => Promise<unknown>;

export function createScriptRunner(commands: Commands): ScriptRunner {
  const hashes = new Map<string, string>();
  return async (script, keys, args) => {
    const hash = hashes.get(script) ?? createHash('sha1').update(script).digest('hex');
    hashes.set(script, hash);
    const rest = [String(keys.length), ...keys, ...args];
    const key = keys[0] as Buffer;
    try {
      return await commands.send(key, ['EVALSHA', hash, ...rest]);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return commands.send(key, ['EVAL', script, ...rest]);
    }
  };
}
