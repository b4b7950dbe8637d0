/** Responses that continue one another by id: the requests hold the newest items alone, the whole prompt is put together. */
import OpenAI from 'openai';
import { observe } from 'prefixtrace';
import { startModelServer } from 'prefixtrace/model-server';

// Stands in for the API, so that this runs without a key. With yours leave it out, and `baseURL` and `apiKey` below.
const server = await startModelServer();

// The provider's own diagnosis is asked for as well, and stands beside ours in the report. Off by default, as it changes the request.
const client = observe(new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none' }), {
  providerDiagnostics: true,
});

const instructions = 'You plan weddings. Keep a list of what is decided. '.repeat(200);
/** @type {string | undefined} */
let previous;

let turn = 0;
for (const input of ['We are 80 people.', 'Outdoors, in May.', 'What is still open?']) {
  turn += 1;
  const response = await client.responses.create({
    model: 'gpt-6-sol',
    // A counter in front of the instructions: behind it everything is billed again.
    instructions: `Turn ${turn}. ${instructions}`,
    input,
    ...(previous !== undefined && { previous_response_id: previous }),
  });
  previous = response.id;
  console.log(`${input} read from the cache: ${response.usage?.input_tokens_details.cached_tokens} tokens`);
}

await server.close();
console.log('See: npx prefixtrace report');
