/** Short conversations by hand, in Anthropic's form: `u` and `a` messages, told by their texts. */
import { createEngine, type EngineOptions } from '../../../src/diagnose.ts';
import type { Diagnosis } from '../../../src/diagnosis.ts';
import type { StartedCall } from '../../../src/engine.ts';
import type { Exchange, ExchangeResponse, JsonObject } from '../../../src/exchange.ts';

const TOOLS = ['read', 'write', 'search'].map((name) => ({
  name,
  description: `Lets you ${name} files.`,
  input_schema: { type: 'object' },
}));
export const SYSTEM =
  'You are a careful assistant who works in the repository of the user. Read before you edit, and run the tests.';

/** Alternating messages: the first is the user's. */
export function messages(...texts: readonly string[]): JsonObject[] {
  return texts.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }));
}

export function body(said: readonly JsonObject[], fields: JsonObject = {}): JsonObject {
  return {
    model: 'claude-sonnet-4-6',
    max_tokens: 1_000,
    tools: TOOLS,
    system: SYSTEM,
    messages: said,
    ...fields,
  };
}

export type Call = Partial<Exchange> & { readonly body: JsonObject };

export async function diagnosesOf(calls: readonly Call[], options: EngineOptions = {}): Promise<Diagnosis[]> {
  const engine = await createEngine(options);
  return calls.map((call) => finished(engine.start(exchange(call)), call.response));
}

export function exchange(call: Call): Exchange {
  return { api: 'anthropic.messages', scope: {}, ...call };
}

export function finished(call: StartedCall, response?: ExchangeResponse): Diagnosis {
  const answer = call.finish(response);
  if ('unreadable' in answer) throw new Error(answer.unreadable);
  return answer.diagnosis;
}

/** Lineage, turn and baseline of each call: `l1#2<0` is the second call of l1, compared with call 0. */
export function places(diagnoses: readonly Diagnosis[]): string[] {
  return diagnoses.map(
    ({ lineage, turn, baseline }) => `${lineage}#${turn}${baseline === null ? '' : `<${baseline}`}`,
  );
}

export function kinds(diagnoses: readonly Diagnosis[]): (string | null)[] {
  return diagnoses.map(({ divergence }) => divergence?.kind ?? null);
}

/** Usage of a call that read and wrote so many tokens. */
export function usage(read: number, written: number, uncached = 10): ExchangeResponse {
  return {
    ending: 'completed',
    status: 200,
    usage: {
      input_tokens: uncached,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
      output_tokens: 20,
    },
  };
}
