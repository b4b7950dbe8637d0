/** Conversations in the words of each API, with the path at which each text of theirs stands in the body. */
import type { Component } from '../../../src/diagnosis.ts';
import { APIS, type Api, type Exchange, type JsonObject, type JsonValue } from '../../../src/exchange.ts';
import type { Conversation, Message, Part, Spot, Tool } from './conversation.ts';

export { APIS };

interface Place {
  readonly component: Component;
  readonly path: string;
}

export interface Rendered {
  readonly api: Api;
  readonly body: JsonObject;
  readonly model: string | undefined;
  placeOf(spot: Spot): Place;
}

type Places = Map<string, Place>;

const keyOf = (spot: Spot) => JSON.stringify(spot);

export function render(api: Api, conversation: Conversation): Rendered {
  const places: Places = new Map();
  const { body, model } = RENDERERS[api](conversation, places);
  return {
    api,
    body,
    model,
    placeOf(spot) {
      const place = places.get(keyOf(spot));
      if (place === undefined) throw new Error(`no place for ${keyOf(spot)}`);
      return place;
    },
  };
}

export function exchangeOf(
  { api, body, model }: Pick<Rendered, 'api' | 'body' | 'model'>,
  fields: Partial<Exchange> = {},
): Exchange {
  return { api, body, model, scope: {}, ...fields };
}

type Renderer = (conversation: Conversation, places: Places) => { body: JsonObject; model?: string };

const RENDERERS: Record<Api, Renderer> = {
  'anthropic.messages': renderAnthropic,
  'openai.chat': renderChat,
  'openai.responses': renderResponses,
  'google.generateContent': renderGoogle,
  'bedrock.converse': renderBedrock,
};

const schemaOf = ({ properties }: Tool): JsonObject => ({ type: 'object', properties });

function noteTools({ tools }: Conversation, places: Places, pathOf: (index: number) => string): void {
  tools.forEach((_, tool) => {
    places.set(keyOf({ tool }), { component: 'tools', path: pathOf(tool) });
  });
}

function noteSystem({ system }: Conversation, places: Places, pathOf: (index: number) => string): void {
  system.forEach((_, index) => {
    places.set(keyOf({ system: index }), { component: 'system', path: pathOf(index) });
  });
}

function absent(value: JsonObject | undefined, isPresent: boolean): JsonObject {
  return isPresent && value !== undefined ? value : {};
}

function renderAnthropic(conversation: Conversation, places: Places) {
  const { tools, system, effort, schema, messages } = conversation;
  noteTools(conversation, places, (index) => `tools[${index}].description`);
  noteSystem(conversation, places, (index) => `system[${index}].text`);
  const blockOf = (part: Part, path: string, spot: Spot): JsonObject => {
    const isResult = part.kind === 'result';
    places.set(keyOf(spot), { component: 'messages', path: `${path}.${isResult ? 'content' : 'text'}` });
    switch (part.kind) {
      case 'text':
        return { type: 'text', text: part.text };
      case 'thinking':
        return { type: 'thinking', thinking: part.text, signature: 'c2ln' };
      case 'media':
        return { type: 'image', source: { type: 'base64', media_type: 'image/png', data: part.data } };
      case 'call':
        return { type: 'tool_use', id: part.id, name: part.name, input: part.input };
      case 'result':
        return { type: 'tool_result', tool_use_id: part.id, content: part.text };
    }
  };
  const body: JsonObject = {
    model: 'claude-sonnet-4-6',
    max_tokens: 1024,
    ...absent(
      {
        tools: tools.map((tool) => ({
          name: tool.name,
          description: tool.description,
          input_schema: schemaOf(tool),
        })),
      },
      tools.length > 0,
    ),
    ...absent({ system: system.map((text) => ({ type: 'text', text })) }, system.length > 0),
    messages: messages.map(({ role, parts }, index) => ({
      role: role === 'assistant' ? 'assistant' : 'user',
      content: parts.map((part, at) =>
        blockOf(part, `messages[${index}].content[${at}]`, { message: index, part: at }),
      ),
    })),
    ...absent(
      { output_config: { effort, format: schema && { type: 'json_schema', schema } } },
      (effort ?? schema) !== undefined,
    ),
  };
  return { body };
}

function renderChat(conversation: Conversation, places: Places) {
  const { tools, system, effort, schema } = conversation;
  noteTools(conversation, places, (index) => `tools[${index}].function.description`);
  noteSystem(conversation, places, (index) => `messages[${index}].content`);
  const messages: JsonObject[] = system.map((content) => ({ role: 'system', content }));
  const note = (spot: Spot, path: string) => places.set(keyOf(spot), { component: 'messages', path });
  conversation.messages.forEach(({ role, parts }, message) => {
    if (role === 'tool') {
      parts.forEach((part, at) => {
        if (part.kind !== 'result') return;
        note({ message, part: at }, `messages[${messages.length}].content`);
        messages.push({ role: 'tool', tool_call_id: part.id, content: part.text });
      });
    } else if (role === 'user') {
      const content = parts.map((part, at): JsonObject => {
        note({ message, part: at }, `messages[${messages.length}].content[${at}].text`);
        return part.kind === 'media'
          ? { type: 'image_url', image_url: { url: `data:image/png;base64,${part.data}` } }
          : { type: 'text', text: textOf(part) };
      });
      messages.push({ role: 'user', content });
    } else {
      const texts = parts.findIndex(({ kind }) => kind === 'text');
      if (texts >= 0) note({ message, part: texts }, `messages[${messages.length}].content`);
      messages.push(chatAnswer(parts));
    }
  });
  const body: JsonObject = {
    model: 'gpt-5.1',
    messages,
    ...absent(
      {
        tools: tools.map((tool) => ({
          type: 'function',
          function: { name: tool.name, description: tool.description, parameters: schemaOf(tool) },
        })),
      },
      tools.length > 0,
    ),
    ...absent({ reasoning_effort: effort }, effort !== undefined),
    ...absent(
      { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } },
      schema !== undefined,
    ),
  };
  return { body };
}

function chatAnswer(parts: readonly Part[]): JsonObject {
  const thinking = parts.find(({ kind }) => kind === 'thinking');
  const text = parts.find(({ kind }) => kind === 'text');
  const calls = parts.flatMap((part) =>
    part.kind === 'call'
      ? [
          {
            id: part.id,
            type: 'function',
            function: { name: part.name, arguments: JSON.stringify(part.input) },
          },
        ]
      : [],
  );
  return {
    role: 'assistant',
    ...absent({ reasoning_content: thinking && textOf(thinking) }, thinking !== undefined),
    content: text ? textOf(text) : null,
    ...absent({ tool_calls: calls }, calls.length > 0),
  };
}

function textOf(part: Part): string {
  return 'text' in part ? part.text : '';
}

function renderResponses(conversation: Conversation, places: Places) {
  const { tools, system, effort, schema, messages } = conversation;
  noteTools(conversation, places, (index) => `tools[${index}].description`);
  noteSystem(conversation, places, (index) =>
    index === 0 ? 'instructions' : `input[${index - 1}].content[0].text`,
  );
  const [instructions, ...later] = system;
  const input: JsonObject[] = later.map((text) => ({
    type: 'message',
    role: 'developer',
    content: [{ type: 'input_text', text }],
  }));
  const note = (spot: Spot, path: string) => places.set(keyOf(spot), { component: 'messages', path });
  messages.forEach(({ role, parts }, message) => {
    if (role === 'user') {
      const content = parts.map((part, at): JsonObject => {
        note({ message, part: at }, `input[${input.length}].content[${at}].text`);
        return part.kind === 'media'
          ? { type: 'input_image', image_url: `data:image/png;base64,${part.data}` }
          : { type: 'input_text', text: textOf(part) };
      });
      input.push({ type: 'message', role: 'user', content });
      return;
    }
    parts.forEach((part, at) => {
      const path = `input[${input.length}]`;
      note({ message, part: at }, part.kind === 'result' ? `${path}.output` : `${path}.content[0].text`);
      input.push(responsesItem(part, `${message}_${at}`));
    });
  });
  const body: JsonObject = {
    model: 'gpt-5.6',
    input,
    ...absent({ instructions }, instructions !== undefined),
    ...absent(
      {
        tools: tools.map((tool) => ({
          type: 'function',
          name: tool.name,
          description: tool.description,
          parameters: schemaOf(tool),
          strict: false,
        })),
      },
      tools.length > 0,
    ),
    ...absent({ reasoning: { effort } }, effort !== undefined),
    ...absent({ text: { format: { type: 'json_schema', name: 'answer', schema } } }, schema !== undefined),
  };
  return { body };
}

function responsesItem(part: Part, id: string): JsonObject {
  switch (part.kind) {
    case 'thinking':
      return { type: 'reasoning', id: `rs_${id}`, summary: [{ type: 'summary_text', text: part.text }] };
    case 'call':
      return {
        type: 'function_call',
        id: `fc_${id}`,
        call_id: part.id,
        name: part.name,
        arguments: JSON.stringify(part.input),
      };
    case 'result':
      return { type: 'function_call_output', call_id: part.id, output: part.text };
    default:
      return {
        type: 'message',
        role: 'assistant',
        id: `msg_${id}`,
        content: [{ type: 'output_text', text: textOf(part), annotations: [] }],
      };
  }
}

function renderGoogle(conversation: Conversation, places: Places) {
  const { tools, system, effort, schema, messages } = conversation;
  noteTools(conversation, places, (index) => `tools[0].functionDeclarations[${index}].description`);
  noteSystem(conversation, places, (index) => `systemInstruction.parts[${index}].text`);
  const partOf = (part: Part): JsonObject => {
    switch (part.kind) {
      case 'text':
        return { text: part.text };
      case 'thinking':
        return { text: part.text, thought: true };
      case 'media':
        return { inlineData: { mimeType: 'image/png', data: part.data } };
      case 'call':
        return { functionCall: { id: part.id, name: part.name, args: part.input } };
      case 'result':
        return { functionResponse: { id: part.id, name: part.name, response: { output: part.text } } };
    }
  };
  const declarations = tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    parametersJsonSchema: schemaOf(tool),
  }));
  const config = {
    ...absent({ thinkingConfig: { thinkingLevel: effort } }, effort !== undefined),
    ...absent({ responseMimeType: 'application/json', responseJsonSchema: schema }, schema !== undefined),
  };
  const body: JsonObject = {
    ...absent({ tools: [{ functionDeclarations: declarations }] }, tools.length > 0),
    ...absent({ systemInstruction: { parts: system.map((text) => ({ text })) } }, system.length > 0),
    contents: messages.map((message, index) => ({
      role: message.role === 'assistant' ? 'model' : 'user',
      parts: message.parts.map((part, at) => {
        const field = part.kind === 'result' ? 'functionResponse.response.output' : 'text';
        places.set(keyOf({ message: index, part: at }), {
          component: 'messages',
          path: `contents[${index}].parts[${at}].${field}`,
        });
        return partOf(part);
      }),
    })),
    generationConfig: config,
  };
  return { body, model: 'gemini-2.5-pro' };
}

function renderBedrock(conversation: Conversation, places: Places) {
  const { tools, system, effort, messages } = conversation;
  noteTools(conversation, places, (index) => `toolConfig.tools[${index}].toolSpec.description`);
  noteSystem(conversation, places, (index) => `system[${index}].text`);
  const blockOf = (part: Part): JsonObject => {
    switch (part.kind) {
      case 'text':
        return { text: part.text };
      case 'thinking':
        return { reasoningContent: { reasoningText: { text: part.text, signature: 'c2ln' } } };
      case 'media':
        return { image: { format: 'png', source: { bytes: part.data } } };
      case 'call':
        return { toolUse: { toolUseId: part.id, name: part.name, input: part.input } };
      case 'result':
        return { toolResult: { toolUseId: part.id, content: [{ text: part.text }], status: 'success' } };
    }
  };
  const contentOf = ({ parts }: Message, message: number): JsonValue[] =>
    parts.map((part, at) => {
      const field = part.kind === 'result' ? 'toolResult.content[0].text' : 'text';
      const path = `messages[${message}].content[${at}].${field}`;
      places.set(keyOf({ message, part: at }), { component: 'messages', path });
      return blockOf(part);
    });
  const specs = tools.map((tool) => ({
    toolSpec: { name: tool.name, description: tool.description, inputSchema: { json: schemaOf(tool) } },
  }));
  const body: JsonObject = {
    ...absent({ toolConfig: { tools: specs } }, tools.length > 0),
    ...absent({ system: system.map((text) => ({ text })) }, system.length > 0),
    messages: messages.map((message, index) => ({
      role: message.role === 'assistant' ? 'assistant' : 'user',
      content: contentOf(message, index),
    })),
    ...absent({ additionalModelRequestFields: { output_config: { effort } } }, effort !== undefined),
  };
  return { body, model: 'anthropic.claude-sonnet-4-6' };
}
