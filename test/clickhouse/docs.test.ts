import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { viewDefinition } from './support/traces-table.ts';

it('the page on ClickHouse defines the view with the columns that are read', () => {
  const page = readFileSync(new URL('../../docs/clickhouse.md', import.meta.url), 'utf8');
  for (const statement of viewDefinition('otel_traces', 'otel_calls')) expect(page).toContain(statement);
});
