/** What the demo's model says: a tool call to a question, an answer to a tool result. */
import type { ModelRequest, Reply } from '../../src/model-server/index.ts';

export function replyTo(request: ModelRequest): Reply {
  const last = lastInput(request);
  if (hasType(last, ['tool_result', 'function_call_output'])) return { text: ANSWER };
  if (toolsOf(request) === 0) return { text: 'A summer wedding on the lake' };
  const name = request.api === 'openai.responses' ? 'budget__book' : 'directory__search';
  return {
    text: 'Let me look that up.',
    toolCalls: [
      {
        name,
        input: { query: `what the couple asked, request ${request.index}`, page: String(request.index) },
      },
    ],
  };
}

const ANSWER =
  'Three of these fit. The first is the best: it has the seats, a rain plan without a fee, and the last ferry is ten minutes on foot. I would hold the date there until Friday, ask the second for a menu without nuts, and drop the third, which ends the music at ten. Shall I write to both?';

function lastInput({ api, body }: ModelRequest): unknown {
  const list = api === 'openai.responses' ? body.input : body.messages;
  const last = Array.isArray(list) ? list.at(-1) : undefined;
  return typeof last === 'object' && last !== null && 'content' in last && Array.isArray(last.content)
    ? last.content[0]
    : last;
}

function hasType(value: unknown, types: readonly string[]): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && types.includes(String(value.type));
}

function toolsOf({ body }: ModelRequest): number {
  return Array.isArray(body.tools) ? body.tools.length : 0;
}
