/** Lines of an exchange log by hand: one conversation whose system prompt tells the time. */
const RULES = 'Keep answers short and name your sources. '.repeat(200);

/** `read` null: a call that reported no usage. */
export function exchangeLine(clock: string, turn: number, read: number | null, written: number): string {
  const messages = Array.from({ length: turn * 2 - 1 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: [{ type: 'text', text: `message ${index}` }],
  }));
  Object.assign(messages.at(-1)?.content[0] ?? {}, { cache_control: { type: 'ephemeral' } });
  const usage = {
    input_tokens: 0,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
    output_tokens: 9,
  };
  return `${JSON.stringify({
    api: 'anthropic.messages',
    at: `2026-11-30T10:00:${String(turn * 10).padStart(2, '0')}.000Z`,
    body: {
      model: 'claude-sonnet-5',
      max_tokens: 100,
      system: [{ type: 'text', text: `It is ${clock}. ${RULES}` }],
      messages,
    },
    ...(read !== null && { usage }),
    scope: { thread: 'wedding-42', phase: 'researcher' },
  })}\n`;
}
