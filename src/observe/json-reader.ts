/**
 * Reads a JSON response as its bytes pass. The text is held until its end, up to a cap, and only the members that state
 * facts are parsed.
 */

import { report } from '../guard.ts';
import { type BodyReader, type BodyReading, MAX_HELD_CHARS } from '../response/body-reading.ts';
import { absorbFacts, errorOf, FACT_MEMBERS, isRecord } from '../response/response-facts.ts';
import { topLevelMembers } from './top-level-members.ts';

/** Bedrock states its errors as a bare `message`; Responses says in `status` that a call failed. */
const JSON_MEMBERS: ReadonlySet<string> = new Set([...FACT_MEMBERS, 'message', 'status']);

export function jsonReader(reading: BodyReading): BodyReader {
  const decoder = new TextDecoder();
  let text: string | undefined = '';
  return {
    push(chunk) {
      if (text === undefined) return;
      text += decoder.decode(chunk, { stream: true });
      if (text.length > MAX_HELD_CHARS) {
        text = undefined;
        report('a JSON response was too large to read, its usage is unknown', { maxChars: MAX_HELD_CHARS });
      }
    },
    close() {
      if (text === undefined) return;
      // A dying HTTP/2 connection ends its bodies as if they were whole.
      reading.isEofProper = /[}\]]\s*$/.test(text);
      for (const stated of statements(text)) absorbJson(reading, stated);
      text = undefined;
    },
  };
}

/** Gemini streams without `alt=sse` as one array of responses. */
function statements(text: string): readonly unknown[] {
  if (!/^\s*\[/.test(text)) return [topLevelMembers(text, JSON_MEMBERS)];
  try {
    return JSON.parse(text) as unknown[];
  } catch {
    return [];
  }
}

function absorbJson(reading: BodyReading, stated: unknown): void {
  absorbFacts(reading.facts, stated);
  if (!isRecord(stated)) return;
  const { message, status } = stated;
  if (typeof message === 'string') reading.facts.error ??= errorOf(message);
  // Aggregators answer 200 with an error inside.
  if (status === 'failed' || reading.facts.error !== undefined) reading.terminal = 'failed';
}
