import { context, ROOT_CONTEXT } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Engine } from '../../src/engine.ts';
import type { ExchangeRequest, ExchangeResponse } from '../../src/exchange.ts';
import { recordCalls } from '../support/recorded-calls.ts';

const unchanged = (value: ExchangeRequest): ExchangeRequest => value;
const completed: ExchangeResponse = { ending: 'completed', status: 200 };
const busy: ExchangeResponse = { ending: 'failed', status: 529 };

function request(body: string, headers: Record<string, string> = {}): ExchangeRequest {
  return { api: 'anthropic.messages', endpoint: 'api.example', body, headers, scope: {} };
}

const counted = (body: string, count: number) => request(body, { 'x-stainless-retry-count': String(count) });

describe('attempts of one call', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
    context.disable();
  });

  const play = (
    recorded: ReturnType<typeof recordCalls>,
    sent: ExchangeRequest,
    response: ExchangeResponse,
  ) => recorded.recorder.open(sent, unchanged).end(response);

  it.each([
    ['that the client numbers', counted('a', 0), counted('a', 1)],
    [
      'that an AWS client names',
      request('a', { 'amz-sdk-invocation-id': '1' }),
      request('a', { 'amz-sdk-invocation-id': '1' }),
    ],
    ['without any name, by their body', request('a'), request('a')],
  ])('%s become one record', async (_name, first, second) => {
    const recorded = recordCalls();
    play(recorded, first, busy);
    play(recorded, second, completed);
    await recorded.recorder.flush();
    expect(recorded.opened).toHaveLength(1);
    expect(recorded.calls.map(({ response }) => response)).toEqual([{ ...completed, attempts: 2 }]);
  });

  it.each([
    ['another body', counted('a', 0), counted('b', 1)],
    ['another address', counted('a', 0), { ...counted('a', 1), endpoint: 'other.example' }],
    ['a number that does not come next', counted('a', 0), counted('a', 2)],
    ['the number of a new call', counted('a', 0), counted('a', 0)],
    [
      'another AWS call',
      request('a', { 'amz-sdk-invocation-id': '1' }),
      request('a', { 'amz-sdk-invocation-id': '2' }),
    ],
  ])('are not taken for one where the second has %s', async (_name, first, second) => {
    const recorded = recordCalls();
    play(recorded, first, busy);
    play(recorded, second, completed);
    await recorded.recorder.flush();
    expect(recorded.calls.map(({ response }) => response.attempts)).toEqual([undefined, undefined]);
  });

  it.each([
    ['the request is at fault', { ending: 'failed', status: 400 }],
    ['the caller stopped it', { ending: 'canceled' }],
    ['it was answered', completed],
  ] as const)('are not waited for where %s', async (_name, response) => {
    const recorded = recordCalls();
    play(recorded, request('a'), response);
    await recorded.ended(1);
    expect(recorded.calls[0]?.response).toEqual(response);
  });

  it('are waited for as long as clients wait, and as the server asks for', async () => {
    const recorded = recordCalls();
    play(recorded, request('a'), busy);
    play(recorded, request('b'), { ...busy, retryAfterMs: 30_000 });
    await recorded.recorder.flush().then(() => recorded.calls.splice(0));
    play(recorded, request('c'), busy);
    play(recorded, request('d'), { ...busy, retryAfterMs: 30_000 });
    vi.advanceTimersByTime(9_000);
    expect(recorded.calls).toHaveLength(0);
    vi.advanceTimersByTime(2_000);
    expect(recorded.calls.map(({ request: { body } }) => body)).toEqual(['c']);
    vi.advanceTimersByTime(30_000);
    expect(recorded.calls.map(({ request: { body } }) => body)).toEqual(['c', 'd']);
  });

  it('of equal calls go to the caller who made them', async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    const recorded = recordCalls();
    const callers = [1, 2].map(() => ROOT_CONTEXT.setValue(Symbol('caller'), true));
    const sent: string[] = [];
    for (const [index, caller] of callers.entries()) {
      context.with(caller, () => play(recorded, counted('a', 0), { ...busy, id: `of ${index}` }));
    }
    for (const [index, caller] of [...callers.entries()].reverse()) {
      context.with(caller, () => {
        const attempt = recorded.recorder.open(counted('a', 1), unchanged);
        sent.push(`retry of ${index}`);
        attempt.end({ ...completed, id: `of ${index}` });
      });
    }
    await recorded.recorder.flush();
    expect(sent).toEqual(['retry of 1', 'retry of 0']);
    expect(recorded.calls.map(({ request: opened }) => recorded.opened.indexOf(opened))).toEqual([1, 0]);
  });

  it('leave no head of a failed attempt behind', async () => {
    const abandoned: unknown[] = [];
    const engine: Engine = {
      start: ({ headers }) => ({
        finish: () => ({ unreadable: 'fake' }),
        abandon: () => abandoned.push(headers?.['x-stainless-retry-count']),
      }),
    };
    const recorded = recordCalls({ engine });
    play(recorded, counted('a', 0), busy);
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    play(recorded, counted('a', 1), busy);
    play(recorded, counted('a', 2), completed);
    await recorded.recorder.flush();
    expect(abandoned).toEqual(['0']);
    expect(recorded.calls.map(({ response }) => response.attempts)).toEqual([3]);
  });

  it('are held in a bounded number, the oldest first to be given up', async () => {
    const recorded = recordCalls();
    for (let index = 0; index < 100; index += 1) play(recorded, request(`body ${index}`), busy);
    await new Promise((resolve) => setImmediate(resolve));
    expect(recorded.calls.length).toBeGreaterThanOrEqual(0);
    await recorded.recorder.flush();
    expect(recorded.calls).toHaveLength(100);
  });
});
