import { describe, expect, it } from 'vitest';
import { commandFor, KEY_GROUPS, typingCommandFor } from '../../cli/ui/keys.ts';

describe('keys', () => {
  it.each([
    ['j', {}, 'down'],
    ['k', {}, 'up'],
    ['', { downArrow: true }, 'down'],
    ['\r', { return: true }, 'open'],
    ['', { escape: true }, 'back'],
    ['l', {}, 'lineages'],
    ['n', {}, 'next'],
    ['/', {}, 'filter'],
    ['?', {}, 'help'],
    ['q', {}, 'quit'],
    ['c', { ctrl: true }, 'interrupt'],
    ['q', { ctrl: true }, undefined],
    ['nn', {}, undefined],
  ] as const)('%j with %j is %s', (input, key, command) => {
    expect(commandFor(input, key)).toBe(command);
  });

  it('act on text while it is typed only where they must', () => {
    expect(typingCommandFor('q', {})).toBeUndefined();
    expect(typingCommandFor('', { backspace: true })).toBe('erase');
    expect(typingCommandFor('c', { ctrl: true })).toBe('interrupt');
  });

  it('are bound once each', () => {
    const letters = KEY_GROUPS.flatMap(({ bindings }) => bindings).flatMap((binding) => [
      ...binding.letters,
      ...binding.keys,
      ...(binding.control ?? '').split('').map((letter) => `ctrl ${letter}`),
    ]);
    expect(new Set(letters).size).toBe(letters.length);
  });
});
