/** A body → the spans that it names, in the shape of OTLP JSON. Throws on what is neither, and on too much of it. */
import type { JsonObject } from '../../../src/exchange.ts';
import { isJsonObject } from '../../../src/json-value.ts';
import type { Form } from './answers.ts';
import { MAX_PARTS, TooManyParts } from './limits.ts';
import { decodeTraces } from './protobuf.ts';

export function tracesDataOf(body: Buffer, form: Form, maxParts = MAX_PARTS): JsonObject {
  if (form === 'protobuf') return decodeTraces(body, maxParts);
  if (partsOf(body) > maxParts) throw new TooManyParts();
  const value: unknown = JSON.parse(body.toString('utf8'));
  if (!isJsonObject(value)) throw new Error('not a JSON object');
  return value;
}

const [QUOTE, BACKSLASH, COMMA, BRACE, BRACKET] = [...Buffer.from('"\\,{[')];

/** Objects, lists and their elements, from above. A parser would have made them all before it could be stopped. */
function partsOf(json: Buffer): number {
  let parts = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === COMMA || byte === BRACE || byte === BRACKET) parts += 1;
    else if (byte === QUOTE) at = endOfString(json, at + 1);
  }
  return parts;
}

function endOfString(json: Buffer, start: number): number {
  for (let at = json.indexOf('"', start); at >= 0; at = json.indexOf('"', at + 1)) {
    let first = at;
    while (first > start && json[first - 1] === BACKSLASH) first -= 1;
    if ((at - first) % 2 === 0) return at;
  }
  return json.length;
}
