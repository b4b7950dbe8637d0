/** Switches in the environment. Read at every use, so that a test or a script can set them after the import. */

/** `1` and `true` switch on; anything else, and nothing, is off. */
export function isSwitchedOn(name: `PREFIXTRACE_${string}`): boolean {
  return ['1', 'true'].includes(process.env[name]?.trim().toLowerCase() ?? '');
}

/** `PREFIXTRACE_DISABLED=1` turns everything off. */
export function isDisabled(): boolean {
  return isSwitchedOn('PREFIXTRACE_DISABLED');
}
