/**
 * The declared scope: who is calling, carried through awaits, streams and callbacks by AsyncLocalStorage.
 *
 * A frame is one `withScope` call. Frames nest and merge, the inner part wins. A frame also holds the reason of an
 * announced rebuild until one request takes it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Scope } from '../exchange.ts';
import { isDisabled } from '../switches.ts';

interface Frame {
  /** Merged with all frames around it. */
  readonly scope: Scope;
  readonly parent: Frame | undefined;
  expectedRebuild: string | undefined;
}

const frames = new AsyncLocalStorage<Frame>();
/** Holds what is announced outside any scope. */
const rootFrame: Frame = { scope: {}, parent: undefined, expectedRebuild: undefined };

/**
 * Runs `fn` with every model call inside it, however deep, marked as made by `scope`.
 *
 * @example
 * await withScope({ thread: ticket.id, phase: 'planner' }, () => runAgent(ticket));
 */
export function withScope<Result>(scope: Scope, fn: () => Result): Result {
  if (isDisabled()) return fn();
  const parent = frames.getStore() ?? rootFrame;
  return frames.run({ scope: mergeScopes(parent.scope, scope), parent, expectedRebuild: undefined }, fn);
}

/**
 * Says that the next call of this scope will not repeat the prompt before it, and why: a compaction, an edited
 * history. Its divergence is then shown as expected and is no finding.
 */
export function expectRebuild(reason: string): void {
  (frames.getStore() ?? rootFrame).expectedRebuild = String(reason);
}

export function declaredScope(): Scope {
  return (frames.getStore() ?? rootFrame).scope;
}

/** A rebuild that was announced and that one request has taken. */
export interface TakenRebuild {
  readonly reason: string;
  /** The attempt failed, so its retry is the call that was meant. */
  giveBack(): void;
}

export function takeExpectedRebuild(): TakenRebuild | undefined {
  const own = frames.getStore() ?? rootFrame;
  for (let frame: Frame | undefined = own; frame !== undefined; frame = frame.parent) {
    // What was announced for a conversation is not meant for the sub-agent that it starts meanwhile.
    if (frame.scope.thread !== own.scope.thread || frame.scope.delegation !== own.scope.delegation)
      return undefined;
    const { expectedRebuild: reason } = frame;
    if (reason === undefined) continue;
    const owner = frame;
    owner.expectedRebuild = undefined;
    return {
      reason,
      giveBack() {
        owner.expectedRebuild ??= reason;
      },
    };
  }
  return undefined;
}

/** The parts of `inner` win; a part that is missing, empty or no string is not named. */
export function mergeScopes(outer: Scope, inner: Scope | undefined): Scope {
  return {
    ...part('thread', inner?.thread, outer.thread),
    ...part('phase', inner?.phase, outer.phase),
    ...part('delegation', inner?.delegation, outer.delegation),
  };
}

function part(name: keyof Scope, inner: unknown, outer: unknown): Scope {
  for (const value of [inner, outer]) {
    if (typeof value === 'string' && value !== '') return { [name]: value };
  }
  return {};
}
