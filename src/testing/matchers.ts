/** Matchers in the shape that `expect.extend` of Vitest and Jest takes. Neither is imported: they are plain functions. */
import { type Colors, NO_COLORS } from './failure-message.ts';
import { type Judgement, judgeFindings, judgePrefix } from './judgements.ts';

export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/** What a runner hands to a matcher as `this`. Its colours are off where its output has none. */
interface MatcherContext {
  readonly utils?:
    | {
        readonly EXPECTED_COLOR?: (text: string) => string;
        readonly RECEIVED_COLOR?: (text: string) => string;
      }
    | undefined;
}

/** Each call is the one before it in its conversation plus growth; bare request bodies are one conversation. */
function toKeepPrefix(this: MatcherContext | undefined, received: unknown): MatcherResult {
  return resultOf(judgePrefix(received), this);
}

/** No call has a finding, as `prefixtrace diagnose` tells them. */
function toHaveNoCacheFindings(this: MatcherContext | undefined, received: unknown): MatcherResult {
  return resultOf(judgeFindings(received), this);
}

/** @example expect.extend(matchers); */
export const matchers = { toKeepPrefix, toHaveNoCacheFindings };

function resultOf({ pass, message }: Judgement, context: MatcherContext | undefined): MatcherResult {
  const utils = context?.utils;
  const colors: Colors = {
    expected: utils?.EXPECTED_COLOR ?? NO_COLORS.expected,
    received: utils?.RECEIVED_COLOR ?? NO_COLORS.received,
  };
  return { pass, message: () => message(colors) };
}

/** Vitest's assertions extend Jest's namespace too, so one declaration serves both. */
declare global {
  namespace jest {
    // biome-ignore lint/complexity/noBannedTypes: all declarations of an interface must agree in their parameters
    interface Matchers<R, T = {}> {
      toKeepPrefix(): R;
      toHaveNoCacheFindings(): R;
    }
  }
}
