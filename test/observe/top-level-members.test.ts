import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { topLevelMembers } from '../../src/observe/top-level-members.ts';

describe('topLevelMembers', () => {
  it('gives what JSON.parse gives, for any object and any layout', () => {
    const member = fc.constantFrom('id', 'usage', 'a"b', 'back\\slash', 'ü', 'content');
    fc.assert(
      fc.property(
        fc.dictionary(member, fc.jsonValue()),
        fc.constantFrom(undefined, 2, '\t'),
        (value, indent) => {
          const text = JSON.stringify(value, undefined, indent);
          const names = new Set(Object.keys(value));
          expect(topLevelMembers(text, names)).toEqual(JSON.parse(text));
        },
      ),
    );
  });

  it('gives the members that were whole before a text breaks off', () => {
    const text = '{"id":"msg_1","content":[{"text":"a \\" b"}],"usage":{"input_tokens":5}}';
    const names = new Set(['id', 'usage']);
    for (let length = 0; length <= text.length; length++) {
      const found = topLevelMembers(text.slice(0, length), names);
      if ('id' in found) expect(found.id).toBe('msg_1');
      if ('usage' in found) expect(found.usage).toEqual({ input_tokens: 5 });
    }
    expect(topLevelMembers(text.slice(0, 40), names)).toEqual({ id: 'msg_1' });
  });

  it('does not mistake a nested member for one of the top level', () => {
    expect(
      topLevelMembers('{"tools":[{"user":"x"}],"text":"\\"user\\":\\"y\\""}', new Set(['user'])),
    ).toEqual({});
  });

  it.each(['', '[]', 'null', 'not json', '{"id"}', '{"id":', '{id:1}'])('finds nothing in %j', (text) => {
    expect(topLevelMembers(text, new Set(['id']))).toEqual({});
  });
});
