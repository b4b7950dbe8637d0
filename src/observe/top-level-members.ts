/**
 * Reads some top-level members of a JSON object text without building the rest. Bodies reach megabytes and the few
 * members that hooks need are small.
 *
 * Invariant: for a complete text each member equals what `JSON.parse` gives. A text that breaks off or is no JSON yields
 * what was whole before the break.
 */
import { topLevelMemberSpans } from '../prompt/json-text.ts';

export function topLevelMembers(text: string, names: ReadonlySet<string>): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const span of topLevelMemberSpans(text)) {
    try {
      const name = JSON.parse(text.slice(span.nameStart, span.nameEnd)) as string;
      if (names.has(name)) found[name] = JSON.parse(text.slice(span.valueStart, span.valueEnd));
    } catch {
      break;
    }
  }
  return found;
}
