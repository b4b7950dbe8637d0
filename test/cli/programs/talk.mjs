/** A program that knows nothing of us: three calls to Anthropic, one to OpenAI, where the environment says; exits with 7. */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';

const anthropic = new Anthropic();
const instructions = 'You plan weddings with great care and never forget the cake. '.repeat(120);
for (const clock of ['10:00:30', '10:00:30', '10:00:41']) {
  const message = await anthropic.messages.create({
    model: 'claude-sonnet-5',
    max_tokens: 50,
    system: [{ type: 'text', text: `It is ${clock}. ${instructions}`, cache_control: { type: 'ephemeral' } }],
    messages: [{ role: 'user', content: 'Where?' }],
  });
  const [block] = message.content;
  console.log(block?.type === 'text' && block.text);
}
const completion = await new OpenAI().chat.completions.create({
  model: 'gpt-5.5',
  messages: [{ role: 'user', content: 'When?' }],
});
console.log(completion.choices[0]?.message.content);
process.exit(7);
