import type { KindRule } from '../../kind-rule.ts';
import { isPermutation } from '../../recognise/json-order.ts';
import { isSameTool } from '../../recognise/tools.ts';

export const schemaOrder: KindRule = {
  kind: 'tools.schema_order',
  advice:
    'Serialise each tool schema once and reuse the text: maps of Go, Swift or Rust write their keys in another order each time.',
  matches: (difference) => isSameTool(difference) && isPermutation(difference.old, difference.new),
};
