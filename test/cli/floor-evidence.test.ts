/** The floor on its way: from the engine onto the span, into the store, and back into a reported call. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readAll } from '../../cli/sources/call-source.ts';
import { localStoreSource } from '../../cli/sources/local-store.ts';
import { createEngine } from '../../src/diagnose.ts';
import type { DiagnosedCall, FloorPart } from '../../src/diagnosis.ts';
import type { Exchange } from '../../src/exchange.ts';
import { callAttributes } from '../../src/telemetry/attributes.ts';
import { formatFloor, parseFloor } from '../../src/telemetry/floor.ts';
import { createTelemetrySink } from '../../src/telemetry/sink.ts';
import { body, messages, SYSTEM } from '../engine/support/dialogue.ts';
import { diagnosedCall } from '../support/diagnosed-call.ts';

function exchange(turn: number, system = SYSTEM): Exchange {
  const said = messages(...Array.from({ length: turn * 2 - 1 }, (_, index) => `What is in file ${index}?`));
  return {
    api: 'anthropic.messages',
    scope: {},
    body: body(said, { system }),
    response: { ending: 'completed' },
  };
}

async function diagnosed(exchanges: readonly Exchange[]): Promise<DiagnosedCall[]> {
  const engine = await createEngine();
  return exchanges.map((each) => {
    const call = engine.start(each).finish(each.response);
    if ('unreadable' in call) throw new Error(call.unreadable);
    return call;
  });
}

describe('the floor of a call', () => {
  it('names tools and system with their tokens, on the first call of a lineage', async () => {
    const [first] = await diagnosed([exchange(1)]);
    const { floor, componentTokens } = first?.evidence ?? {};
    expect(floor?.map(({ component, label }) => [component, label])).toEqual([
      ['tools', 'read'],
      ['tools', 'write'],
      ['tools', 'search'],
      ['system', 'system prompt'],
    ]);
    const sum = (component: string) =>
      (floor ?? []).reduce((total, part) => total + (part.component === component ? part.tokens : 0), 0);
    expect([sum('tools'), sum('system')]).toEqual([componentTokens?.tools, componentTokens?.system]);
  });

  it('is there again where the head changed, and not where it is as before', async () => {
    const calls = await diagnosed([
      exchange(1),
      exchange(2),
      exchange(3, `${SYSTEM} Be brief.`),
      exchange(4, `${SYSTEM} Be brief.`),
    ]);
    expect(new Set(calls.map(({ diagnosis }) => diagnosis.lineage)).size).toBe(1);
    expect(calls.map(({ evidence }) => evidence.floor !== null)).toEqual([true, false, true, false]);
  });

  it('holds no text of the prompt', async () => {
    const [first] = await diagnosed([exchange(1)]);
    const text = JSON.stringify(first?.evidence.floor);
    expect(text).not.toContain('careful');
    expect(text).not.toContain('Lets you');
  });

  it('comes back from the local store as it was recorded', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'prefixtrace-test-'));
    try {
      const sink = createTelemetrySink({ store: { directory } });
      const exchanges = [exchange(1), exchange(2)];
      const calls = await diagnosed(exchanges);
      calls.forEach((call, index) => {
        const each = exchanges[index] as Exchange;
        sink.open(each).end(call, { ending: 'completed' });
      });
      await sink.shutdown();
      const stored = await readAll(localStoreSource(directory, 'store'));
      expect(stored.map(({ floor }) => floor)).toEqual([calls[0]?.evidence.floor, null]);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});

describe('the attribute', () => {
  it('is one string a part, and absent where the head is not new', () => {
    const floor: FloorPart[] = [
      { component: 'tools', label: 'git__log', tokens: 1204 },
      { component: 'system', label: 'system block 0', tokens: 799.6 },
      { component: 'parameters', label: 'response_format', tokens: 90 },
    ];
    const key = 'prompt_cache.floor';
    expect(callAttributes(diagnosedCall({}, { floor }), () => 'id')[key]).toEqual([
      't:1204 git__log',
      's:800 system block 0',
      'p:90 response_format',
    ]);
    expect(callAttributes(diagnosedCall(), () => 'id')).not.toHaveProperty([key]);
  });

  it('is bounded: the largest parts, and the rest as one', () => {
    const floor = Array.from(
      { length: 1_000 },
      (_, index): FloorPart => ({
        component: 'tools',
        label: `tool-${index} `.repeat(40),
        tokens: index,
      }),
    );
    const texts = formatFloor(floor) ?? [];
    expect(texts).toHaveLength(128);
    expect(Math.max(...texts.map(({ length }) => length))).toBeLessThan(140);
    const parts = parseFloor(texts) ?? [];
    expect(parts.at(-1)?.label).toBe('873 smaller parts');
    expect(parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe((999 * 1_000) / 2);
  });

  it('leaves out what a later version wrote, and is unknown where nothing is there', () => {
    expect(parseFloor(['q:12 something new', 't:7 read', 't:x write', 'constructor:1 x'])).toEqual([
      { component: 'tools', label: 'read', tokens: 7 },
    ]);
    expect(parseFloor([])).toBeNull();
  });
});
