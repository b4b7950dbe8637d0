import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { hoursDefinition, viewDefinition } from './support/traces-table.ts';

it('the page on ClickHouse defines the view and the table of hours with the columns that are read, in one block', () => {
  const page = readFileSync(new URL('../../docs/clickhouse.md', import.meta.url), 'utf8');
  const statements = [...viewDefinition('otel_traces', 'otel_calls'), ...hoursDefinition('otel_calls')];
  expect(page).toContain(statements.join('\n\n'));
});
