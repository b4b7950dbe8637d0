/**
 * A line of an exchange log with its body left as text. A conversation is sent whole with each call, so nearly all of a
 * log is bodies, and nearly all of a body stood in the one before: the engine compares texts and parses what is new.
 */
import type { JsonObject } from '../exchange.ts';
import { isJsonObject } from '../json-value.ts';
import { type MemberSpan, topLevelMemberSpans } from '../prompt/json-text.ts';

export interface EntryText {
  /** All but the body, in whose place an empty one stands. */
  readonly entry: JsonObject;
  readonly bodyText: string;
}

/** `undefined`: the line has to be parsed as a whole. A body that is no JSON is noticed where it is read. */
export function splitEntry(line: string): EntryText | undefined {
  const span = bodySpan(line);
  if (span === undefined) return undefined;
  const bodyText = line.slice(span.valueStart, span.valueEnd);
  try {
    const entry: unknown = JSON.parse(`${line.slice(0, span.valueStart)}{}${line.slice(span.valueEnd)}`);
    // Without its API the whole body is needed, to guess it.
    if (!isJsonObject(entry) || typeof entry.api !== 'string') return undefined;
    return { entry, bodyText };
  } catch {
    return undefined;
  }
}

function bodySpan(line: string): MemberSpan | undefined {
  let found: MemberSpan | undefined;
  for (const span of topLevelMemberSpans(line)) {
    if (line.slice(span.nameStart, span.nameEnd) !== '"body"') continue;
    if (found !== undefined) return undefined;
    found = span;
  }
  return found !== undefined && line[found.valueStart] === '{' ? found : undefined;
}
