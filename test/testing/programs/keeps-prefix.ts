/** A file of node:test: one test that holds, one that does not. */
import { test } from 'node:test';
import { assertKeepsPrefix, assertNoCacheFindings, callsFrom } from '../../../src/testing/index.ts';

const first = { model: 'gpt-5', messages: [{ role: 'user', content: 'hi' }] };
const grown = { ...first, messages: [...first.messages, { role: 'assistant', content: 'hello' }] };

test('grows', async () => {
  assertKeepsPrefix([first, grown]);
  assertNoCacheFindings(await callsFrom([first, grown]));
});

test('changes', () => {
  assertKeepsPrefix([first, { ...grown, model: 'gpt-5-mini' }]);
});
