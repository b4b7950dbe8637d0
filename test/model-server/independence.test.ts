import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const FOLDER = new URL('../../src/model-server/', import.meta.url);

it('imports nothing but Node and its own folder, so that it can judge the engine', () => {
  const imports = readdirSync(FOLDER).flatMap((file) => {
    const source = readFileSync(new URL(file, FOLDER), 'utf8');
    return [...source.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '');
  });
  expect(imports.length).toBeGreaterThan(20);
  expect(imports.filter((name) => !/^(node:|\.\/[a-z-]+\.ts$)/.test(name))).toEqual([]);
});
