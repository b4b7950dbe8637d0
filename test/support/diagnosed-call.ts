/** Diagnosed calls made by hand: a plain hit, with whatever a test wants to be different. */
import type { DiagnosedCall, Diagnosis, Divergence, Evidence } from '../../src/diagnosis.ts';
import type { ExchangeRequest, ExchangeResponse } from '../../src/exchange.ts';

export const START_MS = Date.UTC(2026, 10, 30, 10, 0, 0, 250);

export const reorderedTools: Divergence = {
  component: 'tools',
  kind: 'tools.reordered',
  path: 'tools[1]',
  leaf: 'tools[1].name',
  byteOffset: 0,
  label: 'tool git__log',
  also: [{ component: 'system', kind: 'system.timestamp', path: 'system[0].text' }],
  advice: 'Send tools sorted by name.',
};

export function diagnosedCall(
  diagnosis: Partial<Diagnosis> = {},
  evidence: Partial<Evidence> = {},
): DiagnosedCall {
  return {
    diagnosis: {
      index: 0,
      source: null,
      at: '2026-11-30T10:00:00.250Z',
      api: 'anthropic.messages',
      model: 'claude-sonnet-5',
      scope: { thread: 'wedding-42', phase: 'researcher', delegation: 'sub-3' },
      lineage: 'l1',
      turn: 3,
      baseline: null,
      divergence: null,
      miss: null,
      expected: null,
      outcome: 'hit',
      certainty: 'observed',
      finding: false,
      tokens: {
        input: 19_690,
        cacheRead: 19_380,
        cacheWrite: 310,
        uncached: 0,
        expectedRead: 19_380,
        shared: 19_380,
        behind: 0,
        rebilled: 0,
        method: 'usage',
      },
      cost: { usd: 0.0125, rebilledUsd: 0, priceModel: 'claude-sonnet-5', priceDate: '2026-11-01' },
      provider: null,
      ...diagnosis,
    },
    evidence: {
      layout: [
        { component: 'tools', tokens: 1204, segments: 3, shared: true },
        { component: 'system', tokens: 800, segments: 1, shared: true },
        { component: 'messages', tokens: 17_686, segments: 12, shared: false },
      ],
      change: null,
      lifetimeMs: null,
      floor: null,
      componentTokens: { tools: 1204, system: 800, messages: 17_686 },
      requestModel: 'claude-sonnet-5',
      prefixHash: 'a1b2c3d4',
      excerpt: null,
      outputTokens: null,
      timeToFirstByteMs: 200,
      durationMs: 1500,
      ...evidence,
    },
  };
}

/** A call whose tools came in another order than in call 0. */
export function divergedCall(
  diagnosis: Partial<Diagnosis> = {},
  evidence: Partial<Evidence> = {},
): DiagnosedCall {
  return diagnosedCall(
    {
      index: 1,
      turn: 4,
      baseline: 0,
      divergence: reorderedTools,
      outcome: 'partial',
      finding: true,
      tokens: {
        input: 19_690,
        cacheRead: 1204,
        cacheWrite: 18_486,
        uncached: 0,
        expectedRead: 19_380,
        shared: 1204,
        behind: 18_486,
        rebilled: 18_176,
        method: 'usage',
      },
      cost: { usd: 0.07, rebilledUsd: 0.0627, priceModel: 'claude-sonnet-5', priceDate: '2026-11-01' },
      provider: { reason: 'tools_changed', tokens: 18_900, agrees: true },
      ...diagnosis,
    },
    evidence,
  );
}

export function exchangeRequest(request: Partial<ExchangeRequest> = {}): ExchangeRequest {
  return {
    api: 'anthropic.messages',
    body: '{"model":"claude-sonnet-5"}',
    atMs: START_MS,
    endpoint: 'api.anthropic.com',
    scope: { thread: 'wedding-42', phase: 'researcher', delegation: 'sub-3' },
    ...request,
  };
}

export function exchangeResponse(response: Partial<ExchangeResponse> = {}): ExchangeResponse {
  return {
    ending: 'completed',
    status: 200,
    id: 'msg_1',
    model: 'claude-sonnet-5-20260901',
    usage: { input_tokens: 0, cache_read_input_tokens: 19_380, output_tokens: 42 },
    firstByteAtMs: START_MS + 200,
    completedAtMs: START_MS + 1500,
    ...response,
  };
}
