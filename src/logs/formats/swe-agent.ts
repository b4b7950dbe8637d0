/** SWE-agent trajectories (`.traj`): the messages of each step, as the history processors left them. No usage, no tools. */
import type { Exchange, JsonObject } from '../../exchange.ts';
import { isJsonObject, objectIn, stringIn } from '../../json-value.ts';
import { LogError } from '../log-error.ts';
import type { LogFormat } from './format.ts';

const NAME = 'SWE-agent trajectory';

export const sweAgent: LogFormat = {
  name: NAME,
  fits: ({ trajectory, history, info }) =>
    Array.isArray(trajectory) && (Array.isArray(history) || isJsonObject(info)),
  async *read(records, { file }) {
    let calls = 0;
    for await (const record of records) {
      const model = modelOf(record.value);
      const steps: readonly unknown[] = Array.isArray(record.value.trajectory) ? record.value.trajectory : [];
      const sources = record.sourcesAt('trajectory');
      for (const [index, step] of steps.entries()) {
        const messages = objectIn(step)?.query ?? objectIn(step)?.messages;
        if (!Array.isArray(messages) || messages.length === 0) continue;
        calls += 1;
        yield { exchange: exchangeOf(messages, model), source: sources[index] ?? record.source };
      }
    }
    if (calls === 0)
      throw new LogError(`${file} (${NAME}) holds no messages in its steps: no content to compare`);
  },
};

function exchangeOf(messages: readonly unknown[], model: string | undefined): Exchange {
  return {
    api: 'openai.chat',
    body: { model, messages: messages.filter(isJsonObject).map(sentMessage) },
    scope: {},
  };
}

/** Thought, action and origin are SWE-agent's own notes on a message. */
function sentMessage({
  role,
  content,
  tool_calls,
  tool_call_ids,
  cache_control,
  thinking_blocks,
}: JsonObject): JsonObject {
  const id = Array.isArray(tool_call_ids) ? stringIn(tool_call_ids[0]) : undefined;
  return {
    role,
    content,
    ...(Array.isArray(tool_calls) && { tool_calls }),
    ...(Array.isArray(thinking_blocks) && { thinking_blocks }),
    ...(id !== undefined && { tool_call_id: id }),
    ...(isJsonObject(cache_control) && { cache_control }),
  };
}

/** A replay or a person in the model's place is no model. Newer versions write the configuration as JSON text. */
function modelOf({ replay_config }: JsonObject): string | undefined {
  const config = typeof replay_config === 'string' ? parsed(replay_config) : objectIn(replay_config);
  const name = stringIn(objectIn(objectIn(config?.agent)?.model)?.name);
  return name === undefined || /^(?:replay|human|instant_empty_submit)/.test(name) ? undefined : name;
}

function parsed(text: string): JsonObject | undefined {
  try {
    return objectIn(JSON.parse(text));
  } catch {
    return undefined;
  }
}
