/** `prefixtrace/testing`: record the calls of a test, and hold them to the law that the next request is the last plus growth. */
export { assertKeepsPrefix, assertNoCacheFindings } from './assertions.ts';
export { type MatcherResult, matchers } from './matchers.ts';
export { type CallRecorder, callsFrom, recordCalls } from './record-calls.ts';
export type { CallFacts, CallInput, RecordedCall } from './recorded-call.ts';
