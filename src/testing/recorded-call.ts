/** A recorded call as tests see it, and how a plain request body becomes an exchange. */
import type { Diagnosis, Evidence } from '../diagnosis.ts';
import type { Api, Exchange, JsonObject, Scope } from '../exchange.ts';
import { guessApi } from '../prompt/guess-api.ts';

export interface RecordedCall {
  readonly exchange: Exchange;
  /** `null` where the body could not be read; `unreadable` says why. */
  readonly diagnosis: Diagnosis | null;
  readonly unreadable: string | null;
  readonly excerpt: Evidence['excerpt'];
  /** Position, in the same list, of the call that this one goes on from; `null` for the first of a conversation. */
  readonly continues: number | null;
}

/** More than the body, where a test knows more. */
export interface CallFacts {
  readonly body: string | object;
  /** @default guessed from the body */
  readonly api?: Api | undefined;
  readonly model?: string | undefined;
  /** The usage object as the API returns it. */
  readonly usage?: unknown;
  readonly scope?: Scope | undefined;
  /** The change is meant: see `expectRebuild`. */
  readonly expectedRebuild?: string | undefined;
}

/** A request body, as an object or as JSON text, or a body with facts beside it; a recorded `Exchange` is one of these. */
export type CallInput = string | object | CallFacts | Exchange;

export function exchangeOf(input: CallInput, index: number): Exchange {
  const facts: { readonly body: unknown } & Partial<Omit<CallFacts & Exchange, 'body'>> =
    typeof input === 'object' && 'body' in input
      ? (input as CallFacts & Exchange) // either of them, and all but the body may be absent
      : { body: input };
  const { usage, body, ...rest } = facts;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const api = rest.api ?? guessApi(parsed(text, index));
  if (api === undefined)
    throw new TypeError(
      `call ${index + 1}: cannot tell which API its body is for; pass { api: 'openai.chat', body }`,
    );
  const response =
    rest.response ?? (usage === undefined ? undefined : { ending: 'completed' as const, usage });
  return { ...rest, api, body: text, scope: rest.scope ?? {}, response };
}

/**
 * A fake that keeps its arguments keeps references: when the code under test goes on to change its list of messages, every
 * kept body shows the last state, and no comparison of them can fail.
 */
export function refuseSharedLists(inputs: readonly CallInput[]): void {
  const seen = new Map<object, number>();
  for (const [index, input] of inputs.entries()) {
    const body = typeof input === 'object' && 'body' in input ? input.body : input;
    if (typeof body !== 'object' || body === null) continue;
    const { messages, input: items, contents } = body as JsonObject;
    for (const list of [messages, items, contents]) {
      if (typeof list !== 'object' || list === null) continue;
      const earlier = seen.get(list);
      if (earlier !== undefined)
        throw new TypeError(
          `calls ${earlier + 1} and ${index + 1} hold the very same list of messages, so what each of them sent is lost; ` +
            'copy it in the fake with structuredClone(), or record with recordCalls()',
        );
      seen.set(list, index);
    }
  }
}

function parsed(text: string, index: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new TypeError(`call ${index + 1}: its body is not JSON`, { cause: error });
  }
}
