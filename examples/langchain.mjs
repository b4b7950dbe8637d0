/** LangChain: observe the chat model, then bind tools and build chains as ever. */
import { ChatAnthropic } from '@langchain/anthropic';
import { observe } from 'prefixtrace';
import { startModelServer } from 'prefixtrace/model-server';

// Stands in for the API, so that this runs without a key. With yours leave it out, and the URL and key below.
const server = await startModelServer();

const model = observe(
  new ChatAnthropic({ model: 'claude-opus-5', anthropicApiUrl: server.url, apiKey: 'none', maxTokens: 200 }),
);

const guide = 'A venue is good when the guests can hear each other. '.repeat(300);

for (const knownCities of [
  ['Lisbon', 'Porto'],
  ['Porto', 'Lisbon'],
]) {
  const answer = await model.invoke([
    {
      role: 'system',
      content: [
        {
          type: 'text',
          text: `Known cities: ${knownCities.join(', ')}.\n${guide}`,
          cache_control: { type: 'ephemeral' },
        },
      ],
    },
    { role: 'user', content: 'Where should we look first?' },
  ]);
  console.log(answer.text);
}

await server.close();
console.log('See: npx prefixtrace report');
