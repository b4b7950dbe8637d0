/** AWS: the client is copied with one more middleware; Converse, InvokeModel and their streams are seen. */
import { BedrockRuntimeClient, ConverseCommand } from '@aws-sdk/client-bedrock-runtime';
import { observe } from 'prefixtrace';
import { startModelServer } from 'prefixtrace/model-server';

// Stands in for the API, so that this runs without an account. With yours leave it out, and `endpoint` and `credentials` below.
const server = await startModelServer();

const client = observe(
  new BedrockRuntimeClient({
    region: 'eu-west-1',
    endpoint: server.url,
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
  }),
);

const policy = 'Refunds need the booking number. '.repeat(400);

for (const folder of ['/srv/party/plan', '/srv/party/music']) {
  const { usage } = await client.send(
    new ConverseCommand({
      modelId: 'anthropic.claude-sonnet-4-6',
      system: [{ text: `Current folder: ${folder}\n${policy}` }, { cachePoint: { type: 'default' } }],
      messages: [{ role: 'user', content: [{ text: 'Can we move the party inside?' }] }],
    }),
  );
  console.log(`read from the cache: ${usage?.cacheReadInputTokens} tokens`);
}

await server.close();
console.log('See: npx prefixtrace report');
