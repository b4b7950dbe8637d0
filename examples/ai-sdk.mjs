/** The Vercel AI SDK: observe a model, or the provider that makes them. What is seen is the body that the adapter sent. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { generateText } from 'ai';
import { observe, withScope } from 'prefixtrace';
import { startModelServer } from 'prefixtrace/model-server';

// Stands in for the API, so that this runs without a key. With yours leave it out, and `baseURL` and `apiKey` below.
const server = await startModelServer();

const anthropic = observe(createAnthropic({ baseURL: `${server.url}/v1`, apiKey: 'none' }));

const notes = 'The guests prefer trains to planes. '.repeat(300);
const cached = { anthropic: { cacheControl: { type: 'ephemeral' } } };

await withScope({ thread: 'wedding-42' }, async () => {
  for (const requestId of ['7f3a9c1e-8b52-4d6f-a0e4-1c2d3e4f5a6b', '0b1c2d3e-4f5a-4b6c-8d7e-9f0a1b2c3d4e']) {
    const { text } = await generateText({
      model: anthropic('claude-opus-5'),
      messages: [
        { role: 'system', content: `Request ${requestId}. ${notes}`, providerOptions: cached },
        { role: 'user', content: 'How do we get 80 guests to the venue?' },
      ],
      allowSystemInMessages: true,
    });
    console.log(text);
  }
});

await server.close();
console.log('See: npx prefixtrace report');
