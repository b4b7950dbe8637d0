/**
 * A call with server-side tools runs the model several times and reports the sum. Such a total says nothing of how much
 * of the prompt is in the cache. It is recognised by the answer, as the next request replays it.
 */
import type { Prompt } from '../prompt/prompt.ts';
import type { Head } from './head.ts';

export function isSummedUsage(prompt: Prompt, before: Head): boolean {
  return prompt.segments
    .slice(before.fingerprint.chain.length)
    .some(({ leaves }) =>
      leaves.some(
        ({ slot, text }) => slot === 'type' && /^(server_tool_use|code_execution|web_search_call)/.test(text),
      ),
    );
}
