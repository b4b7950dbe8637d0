// The workload of the benchmark: an agent with 40 tools whose conversation grows by one exchange a call, and a transport that
// answers from memory. The same bytes in each process; bodies are about 3 kB a message, so 0.9 MB at 300 messages.

let seed = 42;
function random() {
  seed = (seed * 1_664_525 + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
}

const WORDS =
  'the agent reads a file and then calls another tool because the result of "grep" was not what the user asked\n\tconst value = await cache.get(key); // see src/store.ts\noutput: all tests pass'.split(
    ' ',
  );

export function prose(characters) {
  let text = `${Math.floor(random() * 1e9)}`;
  while (text.length < characters) text += ` ${WORDS[Math.floor(random() * WORDS.length)]}`;
  // Built piece by piece a string is a rope; what comes from a file or the network is flat.
  return Buffer.from(text).toString();
}

export const TOOLS = Array.from({ length: 40 }, (_, index) => ({
  type: 'function',
  function: {
    name: `tool_${index}`,
    description: prose(400),
    parameters: {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 4 }, (__, at) => [`field_${at}`, { type: 'string', description: prose(60) }]),
      ),
      required: ['field_0'],
    },
  },
}));

const SYSTEM = prose(6_000);

/** A conversation of its own: `open` says what makes it different from others. */
export function newConversation(name = prose(20)) {
  return [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: `${name}: ${prose(1_500)}` },
  ];
}

/** One exchange: the model called a tool, and here is the result. */
export function grow(messages) {
  const id = `call_${Math.floor(random() * 1e12)}`;
  messages.push(
    {
      role: 'assistant',
      content: prose(300),
      tool_calls: [
        {
          id,
          type: 'function',
          function: { name: 'tool_3', arguments: JSON.stringify({ field_0: prose(300) }) },
        },
      ],
    },
    { role: 'tool', tool_call_id: id, content: prose(4_800) },
  );
}

export function growTo(messages, length) {
  while (messages.length < length) grow(messages);
  return messages;
}

export function bodyOf(messages, isStreamed) {
  return {
    model: 'gpt-6-mini',
    messages,
    tools: TOOLS,
    ...(isStreamed && { stream: true, stream_options: { include_usage: true } }),
  };
}

const usageOf = (body) => {
  const total = Math.round(body.length / 4);
  return {
    prompt_tokens: total,
    completion_tokens: 60,
    total_tokens: total + 60,
    prompt_tokens_details: { cached_tokens: Math.max(0, Math.floor((total - 2_000) / 128) * 128) },
  };
};

let responses = 0;
const encoder = new TextEncoder();
const facts = (object) => ({
  id: `chatcmpl-${responses}`,
  object,
  created: 1_780_000_000,
  model: 'gpt-6-mini',
});

/**
 * A `fetch` without a network. It encodes the body, as a real one does, so that this cost is the host's in all subjects.
 * `onDispatch` runs at the moment at which the request would leave; `answersAfterMs` tells how long the answer takes.
 */
export function cannedFetch({
  onDispatch = () => {},
  answersAfterMs = () => 0,
  streamChunks = 50,
  isPaced = false,
} = {}) {
  return async (_url, init) => {
    onDispatch();
    const { body } = init;
    encoder.encode(body);
    responses += 1;
    const isStreamed = body.endsWith('"stream":true,"stream_options":{"include_usage":true}}');
    const waitMs = answersAfterMs();
    await new Promise((resolve) => (waitMs > 0 ? setTimeout(resolve, waitMs) : setImmediate(resolve)));
    if (isStreamed) return streamOf(usageOf(body), streamChunks, isPaced);
    const reply = {
      ...facts('chat.completion'),
      choices: [
        { index: 0, message: { role: 'assistant', content: 'Done. '.repeat(40) }, finish_reason: 'stop' },
      ],
      usage: usageOf(body),
    };
    return new Response(JSON.stringify(reply), { headers: { 'content-type': 'application/json' } });
  };
}

function streamOf(usage, chunks, isPaced) {
  const event = (choices, more = {}) =>
    encoder.encode(`data: ${JSON.stringify({ ...facts('chat.completion.chunk'), choices, ...more })}\n\n`);
  let sent = 0;
  const body = new ReadableStream(
    {
      async pull(controller) {
        if (isPaced) await new Promise((resolve) => setImmediate(resolve));
        if (sent < chunks)
          controller.enqueue(event([{ index: 0, delta: { content: `word ${sent} ` }, finish_reason: null }]));
        else if (sent === chunks) controller.enqueue(event([{ index: 0, delta: {}, finish_reason: 'stop' }]));
        else if (sent === chunks + 1) controller.enqueue(event([], { usage }));
        else {
          controller.enqueue(encoder.encode('data: [DONE]\n\n'));
          controller.close();
        }
        sent += 1;
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}
