/** The demo's world: a model server on loopback whose clock we turn, and a recorder that writes to a store of its own. */
import { startModelServer } from '../../src/model-server/index.ts';
import { replyTo } from './replies.ts';

export interface World {
  readonly url: string;
  nowMs(): number;
  /** Lets so much time pass, without waiting for it. */
  pass(durationMs: number): void;
  close(): Promise<void>;
}

/** The story takes more than half an hour of its own time and ends about now. */
const STORY_MS = 38 * 60_000;

export async function startWorld(): Promise<World> {
  let answered = 0;
  const server = await startModelServer({
    now: () => Date.now() - STORY_MS,
    reply: (request) => {
      // A model takes its time: two to five seconds, the same on every run.
      server.advance(2_000 + ((answered++ * 1_370) % 3_000));
      return replyTo(request);
    },
  });
  return {
    url: server.url,
    nowMs: () => server.nowMs(),
    pass: (durationMs) => server.advance(durationMs),
    close: () => server.close(),
  };
}
