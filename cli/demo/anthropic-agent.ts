/** An agent on Anthropic Messages as people write them: question, tool call, tool result, answer; one history. */
import { searchResult } from './catalogue.ts';
import type { Tool } from './tools.ts';

interface Block {
  readonly type: string;
  readonly [field: string]: unknown;
}

interface Message {
  readonly role: 'user' | 'assistant';
  content: Block[];
}

export interface AnthropicAgentOptions {
  readonly url: string;
  readonly fetch: typeof globalThis.fetch;
  readonly model: string;
  /** Asked anew for each request, as agents do that build their prompt from parts. */
  readonly instructions: () => string;
  readonly tools: (turn: number) => readonly Tool[];
  /** How many entries a search finds: what makes the history grow. */
  readonly entriesPerSearch: number;
}

const MARK = { cache_control: { type: 'ephemeral' } } as const;

export class AnthropicAgent {
  readonly #options: AnthropicAgentOptions;
  #messages: Message[] = [];
  #turn = 0;

  constructor(options: AnthropicAgentOptions) {
    this.#options = options;
  }

  /** One question: a request that ends in a tool call, and one that ends in an answer. */
  async ask(question: string): Promise<void> {
    this.#messages.push({ role: 'user', content: [{ type: 'text', text: question }] });
    let answer = await this.#request();
    for (let calls = toolCalls(answer); calls.length > 0; calls = toolCalls(answer)) {
      const results = calls.map(({ id }) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: searchResult(this.#turn, this.#options.entriesPerSearch),
      }));
      this.#messages.push({ role: 'user', content: results });
      answer = await this.#request();
    }
  }

  /** The history becomes a summary and the last question. */
  compact(summary: string): void {
    this.#messages = [
      { role: 'user', content: [{ type: 'text', text: summary }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Understood. I go on from there.' }] },
    ];
  }

  async #request(): Promise<Block[]> {
    const { url, fetch, model, instructions, tools } = this.#options;
    const response = await fetch(`${url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'demo', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({
        model,
        max_tokens: 1024,
        tools: tools(this.#turn),
        system: [{ type: 'text', text: instructions(), ...MARK }],
        messages: withMarkAtEnd(this.#messages),
      }),
    });
    this.#turn += 1;
    if (!response.ok)
      throw new Error(`the demo's model server answered ${response.status}: ${await response.text()}`);
    const { content } = (await response.json()) as { readonly content: Block[] }; // the server of this package
    this.#messages.push({ role: 'assistant', content });
    return content;
  }
}

function toolCalls(content: readonly Block[]): readonly Block[] {
  return content.filter(({ type }) => type === 'tool_use');
}

/** The mark moves with the end of the history and is no part of it. */
function withMarkAtEnd(messages: readonly Message[]): Message[] {
  return messages.map((message, index) =>
    index < messages.length - 1
      ? message
      : {
          ...message,
          content: message.content.map((block, at) =>
            at < message.content.length - 1 ? block : { ...block, ...MARK },
          ),
        },
  );
}
