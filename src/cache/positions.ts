/**
 * Block positions as the look-back of an explicit cache counts them: each tool, system block and content block is one; a
 * run of tool_use blocks is one, and so is a run of tool_result blocks; thinking cannot be marked and does not count
 * (Anthropic prompt-caching page; recorded in claude-code-cache-fix, where a step of 23 blocks hit and one of 27 missed).
 */
import type { Prompt } from '../prompt/prompt.ts';

/** Position number of each segment, from 0; settings and thinking share the position before them. */
export function positionsOf(prompt: Prompt): Int32Array {
  const positions = new Int32Array(prompt.segments.length);
  let position = -1;
  let run = '';
  prompt.segments.forEach((segment, index) => {
    const { kind } = segment;
    if (kind !== 'parameter' && kind !== 'thinking') {
      const isRun = kind === 'tool_use' || kind === 'tool_result';
      if (!isRun || run !== kind) position += 1;
      run = isRun ? kind : '';
    }
    positions[index] = Math.max(0, position);
  });
  return positions;
}
