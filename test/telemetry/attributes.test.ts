import { describe, expect, it } from 'vitest';
import { reasonWord } from '../../src/telemetry/attribute-values.ts';
import {
  callAttributes,
  changeAttributes,
  divergenceAttributes,
  missAttributes,
} from '../../src/telemetry/attributes.ts';
import { createPrefixId } from '../../src/telemetry/prefix-id.ts';
import { diagnosedCall, divergedCall, reorderedTools } from '../support/diagnosed-call.ts';

const prefixId = createPrefixId('key of the test');

describe('attributes of a call', () => {
  it('are those of the contract, by name and value', () => {
    expect(callAttributes(divergedCall({ expected: 'compaction' }), prefixId)).toEqual({
      'prompt_cache.thread': 'wedding-42',
      'prompt_cache.phase': 'researcher',
      'prompt_cache.delegation': 'sub-3',
      'prompt_cache.lineage': 'l1',
      'prompt_cache.turn': 4,
      'prompt_cache.finding': true,
      'prompt_cache.outcome': 'partial',
      'prompt_cache.certainty': 'observed',
      'prompt_cache.expected': 'compaction',
      'prompt_cache.tokens.input': 19_690,
      'prompt_cache.tokens.read': 1204,
      'prompt_cache.tokens.written': 18_486,
      'prompt_cache.tokens.uncached': 0,
      'prompt_cache.tokens.expected_read': 19_380,
      'prompt_cache.tokens.shared': 1204,
      'prompt_cache.tokens.behind': 18_486,
      'prompt_cache.tokens.rebilled': 18_176,
      'prompt_cache.tokens.method': 'usage',
      'prompt_cache.tokens.tools': 1204,
      'prompt_cache.tokens.system': 800,
      'prompt_cache.tokens.messages': 17_686,
      'prompt_cache.cost.usd': 0.07,
      'prompt_cache.cost.rebilled_usd': 0.0627,
      'prompt_cache.price.model': 'claude-sonnet-5',
      'prompt_cache.price.date': '2026-11-01',
      'prompt_cache.prefix.id': expect.stringMatching(/^[0-9a-f]{32}$/),
      'prompt_cache.layout': 't3:1204+ s1:800+ m12:17686-',
      'prompt_cache.provider.reason': 'tools_changed',
      'prompt_cache.provider.tokens': 18_900,
      'prompt_cache.provider.agrees': true,
    });
  });

  it('keep zero and unknown apart: zero is written, unknown is absent', () => {
    const { tokens } = diagnosedCall().diagnosis;
    const zero = callAttributes(
      diagnosedCall({ tokens: { ...tokens, cacheRead: 0, rebilled: 0 } }),
      prefixId,
    );
    expect(zero['prompt_cache.tokens.read']).toBe(0);
    expect(zero['prompt_cache.tokens.rebilled']).toBe(0);

    const unknown = callAttributes(
      diagnosedCall({
        scope: { thread: null, phase: null, delegation: null },
        tokens: {
          ...tokens,
          cacheRead: null,
          cacheWrite: null,
          uncached: null,
          expectedRead: null,
          rebilled: null,
        },
        cost: { usd: null, rebilledUsd: null, priceModel: 'm', priceDate: 'd' },
        outcome: 'unknown',
        certainty: 'unknown',
        provider: { reason: 'unknown_prefix', tokens: null, agrees: null },
      }),
      prefixId,
    );
    expect(Object.keys(unknown).sort()).toEqual([
      'prompt_cache.certainty',
      'prompt_cache.finding',
      'prompt_cache.layout',
      'prompt_cache.lineage',
      'prompt_cache.outcome',
      'prompt_cache.prefix.id',
      'prompt_cache.price.date',
      'prompt_cache.price.model',
      'prompt_cache.provider.reason',
      'prompt_cache.tokens.behind',
      'prompt_cache.tokens.input',
      'prompt_cache.tokens.messages',
      'prompt_cache.tokens.method',
      'prompt_cache.tokens.shared',
      'prompt_cache.tokens.system',
      'prompt_cache.tokens.tools',
      'prompt_cache.turn',
    ]);
    expect(unknown['prompt_cache.outcome']).toBe('unknown');
  });

  it('have token counts as integers even where an estimate had a fraction', () => {
    const { tokens } = diagnosedCall().diagnosis;
    const attributes = callAttributes(diagnosedCall({ tokens: { ...tokens, shared: 99.6 } }), prefixId);
    expect(attributes['prompt_cache.tokens.shared']).toBe(100);
  });

  it('name equal prefixes alike and give no way back to the hash without the key', () => {
    const id = prefixId('a1b2c3d4');
    expect(prefixId('a1b2c3d4')).toBe(id);
    expect(prefixId('a1b2c3d5')).not.toBe(id);
    expect(createPrefixId()('a1b2c3d4')).not.toBe(createPrefixId()('a1b2c3d4'));
    expect(id).not.toContain('a1b2c3d4');
  });
});

describe('attributes of a change', () => {
  it('are lengths and keyed ids, on the sides that have the text', () => {
    const change = { before: { bytes: 24, hash: 'a1b2c3d4' }, after: null };
    expect(changeAttributes(change, prefixId)).toEqual({
      'prompt_cache.divergence.before_bytes': 24,
      'prompt_cache.divergence.before_id': prefixId('a1b2c3d4'),
    });
    expect(changeAttributes(null, prefixId)).toEqual({});
  });
});

describe('attributes of a divergence', () => {
  it('are those of the contract, with the figures beside them', () => {
    expect(divergenceAttributes(reorderedTools, divergedCall().diagnosis, null)).toEqual({
      'prompt_cache.divergence.component': 'tools',
      'prompt_cache.divergence.kind': 'tools.reordered',
      'prompt_cache.divergence.path': 'tools[1]',
      'prompt_cache.divergence.leaf': 'tools[1].name',
      'prompt_cache.divergence.byte_offset': 0,
      'prompt_cache.divergence.label': 'tool git__log',
      'prompt_cache.divergence.advice': 'Send tools sorted by name.',
      'prompt_cache.divergence.also': ['system system.timestamp system[0].text'],
      'prompt_cache.tokens.input': 19_690,
      'prompt_cache.tokens.read': 1204,
      'prompt_cache.tokens.written': 18_486,
      'prompt_cache.tokens.uncached': 0,
      'prompt_cache.tokens.expected_read': 19_380,
      'prompt_cache.tokens.shared': 1204,
      'prompt_cache.tokens.behind': 18_486,
      'prompt_cache.tokens.rebilled': 18_176,
      'prompt_cache.tokens.method': 'usage',
      'prompt_cache.cost.usd': 0.07,
      'prompt_cache.cost.rebilled_usd': 0.0627,
      'prompt_cache.price.model': 'claude-sonnet-5',
      'prompt_cache.price.date': '2026-11-01',
    });
  });

  it('leave out the byte offset where there is none', () => {
    const attributes = divergenceAttributes(
      { ...reorderedTools, byteOffset: null, also: [] },
      divergedCall().diagnosis,
      null,
    );
    expect(attributes).not.toHaveProperty('prompt_cache.divergence.byte_offset');
    expect(attributes).not.toHaveProperty('prompt_cache.divergence.also');
  });

  it('carry the excerpt that they are given, and none else', () => {
    const { diagnosis } = divergedCall({}, { excerpt: { before: 'secret', after: 'secret' } });
    expect(JSON.stringify(divergenceAttributes(reorderedTools, diagnosis, null))).not.toContain('secret');
    expect(
      divergenceAttributes(reorderedTools, diagnosis, { before: 'at 10:00', after: 'at 10:01' }),
    ).toMatchObject({
      'prompt_cache.divergence.before': 'at 10:00',
      'prompt_cache.divergence.after': 'at 10:01',
    });
  });
});

it('attributes of a miss say why, with the figures', () => {
  const attributes = missAttributes(diagnosedCall({ miss: 'ttl_expired', outcome: 'miss' }).diagnosis);
  expect(attributes).toMatchObject({
    'prompt_cache.miss': 'ttl_expired',
    'prompt_cache.outcome': 'miss',
    'prompt_cache.tokens.rebilled': 0,
  });
});

it('a reason becomes one word, and one that may quote the prompt becomes "other"', () => {
  expect(reasonWord('Body is not JSON')).toBe('body_is_not_json');
  expect(reasonWord('unknown_api')).toBe('unknown_api');
  expect(reasonWord(`Unexpected token 'h', "hello secret" is not valid JSON`)).toBe('other');
  expect(reasonWord('x'.repeat(500))).toBe('other');
});
