/** How well the rules foretell the recording as it is: expected reads against the reported ones, call by call. */
import type { PlayedCall } from './play.ts';
import { readUnseen } from './replay.ts';

export interface Fit {
  /** Calls whose read is reported and was not cached before the recording began. */
  readonly calls: number;
  readonly expectedRead: number;
  readonly reportedRead: number;
  /** Sum of what each call is off by, over the larger of both sums; 0 is a perfect fit. `null`: nothing is reported. */
  readonly off: number | null;
  /** Calls that are off by no more than `GOOD_SHARE`. */
  readonly near: number;
  /** Calls that read what nobody recorded: taken over as reported under every layout. */
  readonly unseen: number;
}

/** Further off than this, what is foretold of other layouts is not to be trusted. */
export const GOOD_SHARE = 0.05;

export function fitOf(calls: readonly PlayedCall[]): Fit {
  const reported = calls.filter(({ call }) => call.usage?.cacheRead != null);
  const compared = reported.filter(({ call }) => readUnseen(call) === 0);
  const pairs = compared.map(
    ({ call, expected }) => [expected.cacheRead ?? 0, call.usage?.cacheRead ?? 0] as const,
  );
  const sum = (pick: (pair: readonly [number, number]) => number) =>
    pairs.reduce((total, pair) => total + pick(pair), 0);
  const expectedRead = sum(([expected]) => expected);
  const reportedRead = sum(([, read]) => read);
  const larger = Math.max(expectedRead, reportedRead);
  return {
    calls: pairs.length,
    expectedRead,
    reportedRead,
    off:
      pairs.length === 0
        ? null
        : larger === 0
          ? 0
          : sum(([expected, read]) => Math.abs(expected - read)) / larger,
    near: pairs.filter(
      ([expected, read]) => Math.abs(expected - read) <= Math.max(expected, read) * GOOD_SHARE,
    ).length,
    unseen: reported.length - compared.length,
  };
}
