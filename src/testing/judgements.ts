/** The two questions that a test may ask of its calls, apart from any test runner. */
import { type Colors, describeFailure } from './failure-message.ts';
import { growthOf } from './growth.ts';
import type { CallInput, RecordedCall } from './recorded-call.ts';

export interface Judgement {
  readonly pass: boolean;
  readonly message: (colors: Colors) => string;
}

const MOST_SHOWN = 5;

export function judgePrefix(received: unknown): Judgement {
  const calls = listOf<RecordedCall | CallInput>(received);
  const { steps, broken } = growthOf(calls);
  // Where nothing was compared nothing could have failed: neither answer would be true.
  if (steps === 0)
    throw new TypeError(
      `no call continues another among ${calls.length}; a prefix is kept from one call of a conversation to the next`,
    );
  if (broken.length === 0)
    return { pass: true, message: () => `all ${steps} steps are the request before plus growth` };
  const message = (colors: Colors) =>
    listed(
      broken.map(({ before, after, divergence, excerpt }) => {
        const headline = `call ${after + 1} is not call ${before + 1} plus growth`;
        return describeFailure({ headline, cause: divergence.kind, divergence, excerpt }, colors);
      }),
      `${steps - broken.length} of ${steps} steps kept the prefix.`,
    );
  return { pass: false, message };
}

export function judgeFindings(received: unknown): Judgement {
  const calls = listOf<RecordedCall>(received);
  for (const [index, call] of calls.entries()) {
    if (typeof call !== 'object' || !('diagnosis' in call))
      throw new TypeError('bare bodies have no diagnosis: pass `await callsFrom(bodies)`');
    if (call.unreadable !== null) throw new TypeError(`call ${index + 1}: ${call.unreadable}`);
  }
  const findings = calls.flatMap((call, index) =>
    call.diagnosis?.finding ? [{ index, diagnosis: call.diagnosis, excerpt: call.excerpt }] : [],
  );
  if (findings.length === 0)
    return { pass: true, message: () => `there is no cache finding in ${calls.length} calls` };
  const message = (colors: Colors) =>
    listed(
      findings.map(({ index, diagnosis, excerpt }) => {
        const { divergence, miss, tokens } = diagnosis;
        const cause = divergence?.kind ?? miss ?? 'unknown';
        const cost =
          tokens.rebilled === null ? 'unknown: no usage reported' : `${tokens.rebilled} tokens billed again`;
        const headline = `call ${index + 1} has a cache finding`;
        return describeFailure({ headline, cause, divergence, excerpt, cost }, colors);
      }),
      `${findings.length} of ${calls.length} calls have a finding.`,
    );
  return { pass: false, message };
}

function listed(parts: readonly string[], closing: string): string {
  const more = parts.length > MOST_SHOWN ? [`… and ${parts.length - MOST_SHOWN} more`] : [];
  return [...parts.slice(0, MOST_SHOWN), ...more, closing].join('\n\n');
}

/** A wrong argument throws, with `not` as without: it must never look like an answer. */
function listOf<Item>(received: unknown): readonly Item[] {
  if (received instanceof Promise)
    throw new TypeError('got a promise: await it, as in expect(await recorder.calls())');
  if (!Array.isArray(received))
    throw new TypeError(`expected a list of calls or request bodies, got ${typeof received}`);
  if (received.length === 0)
    throw new TypeError(
      'no call was recorded: does the code under test use the observed client, and is PREFIXTRACE_DISABLED unset?',
    );
  return received as readonly Item[]; // what the items are, each judgement finds out
}
