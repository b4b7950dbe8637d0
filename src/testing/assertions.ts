/** The same questions for `node:test` and any other runner: an `AssertionError` where the answer is no. */
import { AssertionError } from 'node:assert';
import { NO_COLORS } from './failure-message.ts';
import { type Judgement, judgeFindings, judgePrefix } from './judgements.ts';
import type { CallInput, RecordedCall } from './recorded-call.ts';

/** Each call is the one before it in its conversation plus growth; bare request bodies are one conversation. */
export function assertKeepsPrefix(calls: readonly (RecordedCall | CallInput)[]): void {
  assertJudgement(judgePrefix(calls), 'keepsPrefix', assertKeepsPrefix);
}

/** No call has a finding, as `prefixtrace diagnose` tells them. */
export function assertNoCacheFindings(calls: readonly RecordedCall[]): void {
  assertJudgement(judgeFindings(calls), 'noCacheFindings', assertNoCacheFindings);
}

/** `stackStartFn`: the stack begins in the test, where a reader can mend something. */
function assertJudgement(
  { pass, message }: Judgement,
  operator: string,
  stackStartFn: (calls: never) => void,
): void {
  if (!pass)
    throw new AssertionError({
      message: message(NO_COLORS),
      operator,
      stackStartFn: stackStartFn as () => void,
    }); // never called
}
