/** An agent on OpenAI Responses that keeps its own history, and one day trims it. */
import { searchResult } from './catalogue.ts';

type Item = Readonly<Record<string, unknown>>;

export interface ResponsesAgentOptions {
  readonly url: string;
  readonly fetch: typeof globalThis.fetch;
  readonly model: string;
  readonly instructions: string;
}

const TOOLS = [
  {
    type: 'function',
    name: 'budget__book',
    description:
      'Book an offer under a heading of the budget. Returns the whole heading, with all documents.',
    parameters: {
      type: 'object',
      properties: { query: { type: 'string' }, page: { type: 'string' } },
      required: ['query'],
    },
    strict: false,
  },
];

export class ResponsesAgent {
  readonly #options: ResponsesAgentOptions;
  readonly #items: Item[] = [];
  #turn = 0;

  constructor(options: ResponsesAgentOptions) {
    this.#options = options;
  }

  async ask(question: string): Promise<void> {
    this.#items.push({ type: 'message', role: 'user', content: [{ type: 'input_text', text: question }] });
    let output = await this.#request();
    for (let calls = toolCalls(output); calls.length > 0; calls = toolCalls(output)) {
      for (const { call_id } of calls) {
        this.#items.push({
          type: 'function_call_output',
          call_id,
          output: searchResult(70 + this.#turn, 24),
        });
      }
      output = await this.#request();
    }
  }

  /** The bug: to save tokens, the oldest tool result is emptied, and all that stands behind it is billed again. */
  emptyOldestToolResult(): void {
    const at = this.#items.findIndex(({ type }) => type === 'function_call_output');
    this.#items[at] = { ...this.#items[at], output: '[old tool result cleared]' };
  }

  async #request(): Promise<readonly Item[]> {
    const { url, fetch, model, instructions } = this.#options;
    const response = await fetch(`${url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer demo' },
      body: JSON.stringify({
        model,
        instructions,
        tools: TOOLS,
        input: this.#items,
        store: false,
        prompt_cache_key: 'wedding-42-budget',
      }),
    });
    this.#turn += 1;
    if (!response.ok)
      throw new Error(`the demo's model server answered ${response.status}: ${await response.text()}`);
    const { output } = (await response.json()) as { readonly output: readonly Item[] }; // the server of this package
    this.#items.push(...output);
    return output;
  }
}

function toolCalls(output: readonly Item[]): readonly Item[] {
  return output.filter(({ type }) => type === 'function_call');
}
