/** Serverless: the platform may freeze the process once the response is out, so what is finished is delivered before. */
import Anthropic from '@anthropic-ai/sdk';
import { flush, observe, withScope } from 'prefixtrace';
import { startModelServer } from 'prefixtrace/model-server';

// Stands in for the API, so that this runs without a key. With yours leave it out, and `baseURL` and `apiKey` below.
const server = await startModelServer();

// Outside the handler: lineages live as long as the instance does.
const client = observe(new Anthropic({ baseURL: server.url, apiKey: 'none' }));
const rules = 'Answer in one sentence. '.repeat(400);

/** @param {{ conversation: string; messages: Anthropic.MessageParam[]; tickets: number }} event */
export async function handler({ conversation, messages, tickets }) {
  try {
    return await withScope({ thread: conversation }, () =>
      client.messages.create({
        model: 'claude-opus-5',
        max_tokens: 100,
        system: [
          { type: 'text', text: `Open tickets: ${tickets}. ${rules}`, cache_control: { type: 'ephemeral' } },
        ],
        messages,
      }),
    );
  } finally {
    // Where the platform offers it, `waitUntil(flush())` or `after(() => flush())` keeps this off the response's way.
    await flush();
  }
}

/** @type {Anthropic.MessageParam[]} */
const messages = [{ role: 'user', content: 'When do you open?' }];
const { content } = await handler({ conversation: 'a', messages, tickets: 2 });
messages.push({ role: 'assistant', content }, { role: 'user', content: 'And when do you close?' });
await handler({ conversation: 'a', messages, tickets: 3 });

await server.close();
console.log('See: npx prefixtrace report');
