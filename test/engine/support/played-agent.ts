/**
 * An agent that talks to the model server over HTTP while the engine watches: each call is started and finished as a hook
 * would do it, and comes back with what the server read from its cache beside what the engine says.
 *
 * The server is the oracle: it compares rendered text and shares no code with the engine.
 */
import { onTestFinished } from 'vitest';
import { createEngine } from '../../../src/diagnose.ts';
import type { Diagnosis } from '../../../src/diagnosis.ts';
import type { Engine, StartedCall } from '../../../src/engine.ts';
import type { Api, ExchangeResponse, JsonObject } from '../../../src/exchange.ts';
import {
  type ModelServer,
  type ModelServerOptions,
  type RecordedRequest,
  startModelServer,
} from '../../../src/model-server/index.ts';

export interface PlayedCall {
  readonly diagnosis: Diagnosis;
  readonly record: RecordedRequest;
  /** The response body. */
  readonly answer: JsonObject;
  /** Tokens that the server read from its cache. */
  readonly read: number;
}

const PATHS: Partial<Record<Api, string>> = {
  'anthropic.messages': '/v1/messages',
  'openai.chat': '/v1/chat/completions',
  'openai.responses': '/v1/responses',
};

export class Stage {
  readonly server: ModelServer;
  readonly #engine: Engine;
  readonly #clock: { ms: number };
  readonly #gate: Gate;

  private constructor(server: ModelServer, engine: Engine, clock: { ms: number }, gate: Gate) {
    this.server = server;
    this.#engine = engine;
    this.#clock = clock;
    this.#gate = gate;
  }

  static async open(options: Pick<ModelServerOptions, 'reply'> = {}): Promise<Stage> {
    const clock = { ms: Date.UTC(2026, 10, 30, 10) };
    const gate: Gate = { opened: undefined };
    const server = await startModelServer({
      ...options,
      now: () => clock.ms,
      beforeFirstByte: () => gate.opened,
    });
    onTestFinished(() => server.close());
    return new Stage(server, await createEngine(), clock, gate);
  }

  wait(durationMs: number): void {
    this.#clock.ms += durationMs;
  }

  async play(api: Api, body: JsonObject): Promise<PlayedCall> {
    const started = this.#start(api, body);
    const answered = await this.#send(api, body);
    return this.#finish(started, answered);
  }

  /** All calls are sent before the first of them is answered. */
  async playTogether(api: Api, bodies: readonly JsonObject[]): Promise<PlayedCall[]> {
    let open = () => {};
    this.#gate.opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const calls: { started: StartedCall; answered: Promise<Answered> }[] = [];
    for (const body of bodies) {
      const before = this.server.requests.length;
      calls.push({ started: this.#start(api, body), answered: this.#send(api, body) });
      while (this.server.requests[before]?.cache === undefined)
        await new Promise((resolve) => setImmediate(resolve));
      this.wait(200);
    }
    this.wait(1_500);
    open();
    this.#gate.opened = undefined;
    return Promise.all(calls.map(async ({ started, answered }) => this.#finish(started, await answered)));
  }

  #start(api: Api, body: JsonObject): StartedCall {
    return this.#engine.start({
      api,
      body: JSON.stringify(body),
      atMs: this.#clock.ms,
      endpoint: 'api.example.com',
      account: 'a1',
      scope: {},
    });
  }

  async #send(api: Api, body: JsonObject): Promise<Answered> {
    const index = this.server.requests.length;
    const response = await fetch(this.server.url + PATHS[api], {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'key-1', authorization: 'Bearer key-1' },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as JsonObject;
    // The order of arrival is the order of sending: the next request is sent only when this one has arrived.
    return { status: response.status, answer, record: this.server.requests[index] as RecordedRequest };
  }

  #finish(started: StartedCall, { status, answer, record }: Answered): PlayedCall {
    const response: ExchangeResponse = {
      ending: status < 400 ? 'completed' : 'failed',
      status,
      id: String(answer.id),
      usage: answer.usage,
      firstByteAtMs: record.firstByteAtMs,
      completedAtMs: record.firstByteAtMs,
    };
    const call = started.finish(response);
    if ('unreadable' in call) throw new Error(call.unreadable);
    return { diagnosis: call.diagnosis, record, answer, read: record.cache?.readTokens ?? 0 };
  }
}

/** Holds back the first byte of every answer until it resolves. */
interface Gate {
  opened: Promise<void> | undefined;
}

interface Answered {
  readonly status: number;
  readonly answer: JsonObject;
  readonly record: RecordedRequest;
}
