/**
 * An agent with phases and sub-agents that run at the same time. The scope says whose call is whose; without it the
 * conversations would be told apart by what they say, which is right most of the time.
 */
import Anthropic from '@anthropic-ai/sdk';
import { expectRebuild, observe, withScope } from 'prefixtrace';
import { startModelServer } from 'prefixtrace/model-server';

// Stands in for the API, so that this runs without a key. With yours leave it out, and `baseURL` and `apiKey` below.
const server = await startModelServer();

const client = observe(new Anthropic({ baseURL: server.url, apiKey: 'none' }));

const charter = 'Plan with care, ask when in doubt, and keep to the budget. '.repeat(200);

/**
 * @param {Anthropic.MessageParam[]} messages
 * @param {string} question
 * @param {string} [system]
 */
async function say(messages, question, system = charter) {
  messages.push({ role: 'user', content: question });
  const answer = await client.messages.create({
    model: 'claude-opus-5',
    max_tokens: 200,
    system: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }],
    messages,
    cache_control: { type: 'ephemeral' },
  });
  messages.push({ role: 'assistant', content: answer.content });
}

await withScope({ thread: 'wedding-42' }, async () => {
  /** @type {Anthropic.MessageParam[]} */
  const plan = [];
  await withScope({ phase: 'planner' }, () => say(plan, 'Plan a wedding for 80 guests.'));

  // Two sub-agents at once, each a conversation of its own.
  await Promise.all(
    ['venues', 'music'].map((topic) =>
      withScope({ phase: 'researcher', delegation: topic }, async () => {
        /** @type {Anthropic.MessageParam[]} */
        const research = [];
        // A bug on purpose: each step tells its system prompt how far it has come.
        for (const question of [`Look into ${topic}.`, 'Go on.']) {
          await say(research, question, `${charter}Steps done: ${research.length / 2}.`);
        }
      }),
    ),
  );

  await withScope({ phase: 'planner' }, async () => {
    await say(plan, 'Take in what the others found.');
    // The history is replaced by a summary, on purpose: shown as expected, and no finding.
    expectRebuild('compaction');
    await say([{ role: 'user', content: 'Summary so far: 80 guests, a terrace, a band.' }], 'What is next?');
  });
});

await server.close();
console.log('See: npx prefixtrace report');
