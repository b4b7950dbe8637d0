/** One line around Anthropic's client: the clock in the system prompt is found, to the byte. */
import Anthropic from '@anthropic-ai/sdk';
import { observe } from 'prefixtrace';
import { startModelServer } from 'prefixtrace/model-server';

// Stands in for the API, so that this runs without a key. With yours leave it out, and `baseURL` and `apiKey` below.
const server = await startModelServer();

const client = observe(new Anthropic({ baseURL: server.url, apiKey: 'none' }));

const handbook = 'Answer in the tone of the handbook: brief, friendly, exact. '.repeat(200);
/** @type {Anthropic.MessageParam[]} */
const messages = [];

for (const [time, question] of [
  ['10:00:07', 'Which venues have a terrace?'],
  ['10:00:31', 'And which of them seat 80?'],
]) {
  messages.push({ role: 'user', content: question ?? '' });
  const answer = await client.messages.create({
    model: 'claude-opus-5',
    max_tokens: 200,
    system: `It is ${time}. ${handbook}`,
    messages,
    cache_control: { type: 'ephemeral' },
  });
  messages.push({ role: 'assistant', content: answer.content });
  console.log(`read from the cache: ${answer.usage.cache_read_input_tokens} tokens`);
}

await server.close();
console.log('Why not more? See: npx prefixtrace report');
