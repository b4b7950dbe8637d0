/**
 * Requests that hold only the newest items (`previous_response_id`, `conversation`, Anthropic threads): the rest of the
 * prompt lies with the provider. Where the chain was seen it is put back together; else the prompt is cut off, and a
 * cut-off prompt is never compared.
 */
import type { Breakpoint, Prompt, Segment } from '../prompt/prompt.ts';
import type { Baseline } from './choose.ts';
import type { Head } from './head.ts';
import type { Heads } from './heads.ts';

export interface WholePrompt {
  readonly prompt: Prompt;
  /** The call that the request names as its predecessor. */
  readonly baseline: Baseline | null;
  readonly isCutOff: boolean;
}

/** `elsewhere`: the head that the request names, as another process knows it. */
export function completeHistory(prompt: Prompt, heads: Heads, elsewhere: Head | null = null): WholePrompt {
  const { missingHistory } = prompt;
  // An explicit cache object is named in the prompt itself: prompts with the same one compare as they are.
  if (missingHistory === null || missingHistory.reason === 'cached_content')
    return { prompt, baseline: null, isCutOff: false };
  const head = heads.byResponse(historyKey(missingHistory.reason, missingHistory.id)) ?? elsewhere;
  if (!head?.prompt) return { prompt, baseline: null, isCutOff: true };
  return {
    prompt: prepend(head.prompt, prompt, missingHistory.id),
    baseline: { head, relation: 'continues' },
    isCutOff: false,
  };
}

/** Responses and conversations live in one map; ids of both kinds never meet. */
export function historyKey(reason: string, id: string): string {
  return reason === 'conversation' ? `conversation ${id}` : `response ${id}`;
}

function prepend(before: Prompt, now: Prompt, id: string): Prompt {
  const history = before.segments.slice(before.headLength);
  const answer: Segment = {
    component: 'messages',
    kind: 'opaque',
    path: 'previous_response_id',
    role: 'assistant',
    opensMessage: true,
    leaves: [{ slot: 'response', at: '', text: id, isString: true }],
  };
  const shift = history.length + 1;
  const moved = (mark: Breakpoint): Breakpoint =>
    mark.segment < now.headLength ? mark : { ...mark, segment: mark.segment + shift };
  return {
    ...now,
    segments: [
      ...now.segments.slice(0, now.headLength),
      ...history,
      answer,
      ...now.segments.slice(now.headLength),
    ],
    breakpoints: now.breakpoints.map(moved),
  };
}
