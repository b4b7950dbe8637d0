/** That the page names every command that a user of the server has to be allowed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { redisHeads } from '../../src/redis/index.ts';
import { NO_SERVER, SKIPPED, startRedis, type TestServer } from './support/redis-server.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/redis.md'), 'utf8');
const [, listed = ''] = /the user needs ([^.]*?) on `PREFIX\*`/s.exec(PAGE) ?? [];
const COMMANDS = [...listed.matchAll(/`(\w+)`/g)].map(([, command]) => command as string);

describe.skipIf(NO_SERVER)(`a user with the permissions of the page${SKIPPED}`, () => {
  let server: TestServer;
  let admin: Redis;
  let client: Redis;

  beforeAll(async () => {
    server = await startRedis();
    admin = new Redis(server.url);
  });
  afterAll(async () => {
    client.disconnect();
    admin.disconnect();
    await server.stop();
  });

  it('can keep heads, read them, and let them take the place of each other', async () => {
    const commands = [...COMMANDS, 'info', '@connection'].map((command) => `+${command}`);
    await admin.call('ACL', 'SETUSER', 'service', 'on', '>word', 'resetkeys', '~prefixtrace:*', ...commands);
    client = new Redis(server.port, '127.0.0.1', {
      username: 'service',
      password: 'word',
      lazyConnect: true,
    });
    await client.connect();
    const store = redisHeads(client, { secret: 'of the service', deadlineMs: 5_000 });
    const place = { pool: 'pool', scope: 'scope' };
    const keep = (id: string, over: object = {}) =>
      store.commit({
        ...{ ...place, replaces: null, summarised: null, name: null, chunk: () => new Uint8Array([1]) },
        head: { id, opening: '', chunks: ['m1'], record: new Uint8Array([2]), wasSummarised: false },
        ...over,
      });
    // More than a scope and a pool hold, so that the oldest go as well.
    for (let index = 0; index < 70; index += 1) await keep(`h${index}`);
    await keep('replaced');
    await keep('last', { replaces: 'replaced', summarised: 'h69', name: 'response' });
    const question = { ...place, opening: '', chunks: [], name: 'response' };
    const answer = await store.candidates(question);
    expect(answer.named).toBe('last');
    expect(answer.heads.map(({ id }) => id)).toEqual(expect.arrayContaining(['h69', 'last']));
    expect(answer.heads.map(({ id }) => id)).not.toContain('replaced');
    expect((await store.siblings(question)).heads.at(-1)?.id).toBe('last');
    expect(await admin.acl('LOG')).toEqual([]);
  });
});
