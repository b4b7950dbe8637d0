/** Whether a copy would be no different: the client's transport records, and the call of `observe` names nothing to add. */
import type { Fetch } from '../fetch-request.ts';
import type { HookContext } from './client-hook.ts';

export function isObservedAlready(transport: Fetch, context: HookContext): boolean {
  const addsNothing = Object.keys(context.scope).length === 0 && context.fetch === undefined;
  return addsNothing && context.isRecording(transport);
}
