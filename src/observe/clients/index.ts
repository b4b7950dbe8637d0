/** The hooks, the first that recognises a client takes it. */
import type { ClientHook } from './client-hook.ts';
import { withOptionsHook } from './with-options.ts';

export const CLIENT_HOOKS: readonly ClientHook[] = [withOptionsHook];
