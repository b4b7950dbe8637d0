/** Streams are read at your pace and never ahead; usage comes with the last chunk where you ask for it, as here. */
import OpenAI from 'openai';
import { observe } from 'prefixtrace';
import { startModelServer } from 'prefixtrace/model-server';

// Stands in for the API, so that this runs without a key. With yours leave it out, and `baseURL` and `apiKey` below.
const server = await startModelServer();

const client = observe(new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none' }));

const rules = 'Never quote a price without its date. '.repeat(300);
const tools = ['search', 'calendar', 'mail'].map((name) => ({
  type: /** @type {const} */ ('function'),
  function: {
    name,
    description: `Lets you use the ${name}.`,
    parameters: { type: 'object', properties: {} },
  },
}));

for (const order of [tools, [...tools].reverse()]) {
  const stream = await client.chat.completions.create({
    model: 'gpt-5.5',
    messages: [
      { role: 'system', content: rules },
      { role: 'user', content: 'What does the terrace cost in May?' },
    ],
    // The second time in another order, as a list built from a set or a map may come.
    tools: order,
    stream: true,
    stream_options: { include_usage: true },
  });
  for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '');
  process.stdout.write('\n');
}

await server.close();
console.log('See: npx prefixtrace report');
