/**
 * Segment: the rendered text of one parameter, tool, system block, content block or message part.
 * Prompt: all segments in the order in which the provider renders them. A prefix of it is what a cache entry holds.
 *
 * One rule counts all tokens: a prefix of n segments has ceil(UTF-8 bytes of their texts / 4) tokens.
 */
import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from './types.ts';

export interface Segment {
  readonly text: string;
  /**
   * `parameter`: a setting that the provider renders into the prompt; it is compared and takes no block position.
   * Tool calls and tool results are told apart because a run of them takes one block position.
   */
  readonly kind: 'parameter' | 'block' | 'tool_use' | 'tool_result';
  /** Lifetime of the explicit cache mark that ends here. */
  readonly markTtlMs?: number;
  /** OpenAI only: an implicit breakpoint may stand here. */
  readonly isEligibleEnd?: boolean;
}

const BYTES_PER_TOKEN = 4;

export function tokensOfBytes(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

export function tokensOfText(text: string): number {
  return tokensOfBytes(Buffer.byteLength(text));
}

/** What stands at index n: token count and hash of the first n segments. */
export interface Prefixes {
  readonly tokens: readonly number[];
  readonly hashes: readonly string[];
}

export function prefixesOf(segments: readonly Segment[]): Prefixes {
  const tokens = [0];
  const hashes = [''];
  let bytes = 0;
  const hash = createHash('sha256');
  for (const { text } of segments) {
    const length = Buffer.byteLength(text);
    bytes += length;
    // The length goes in too, so that text moved across a border makes another prefix.
    hash.update(`${length}:`).update(text);
    tokens.push(tokensOfBytes(bytes));
    hashes.push(hash.copy().digest('hex'));
  }
  return { tokens, hashes };
}

/**
 * Renders an object whose fields the API fixes: in alphabetical order, so that their order in the JSON does not count.
 * What a field holds is opaque and keeps its own key order. Absent and null are the same.
 */
export function renderFields(object: JsonObject, without: readonly string[] = []): string {
  return Object.keys(object)
    .filter((name) => object[name] !== undefined && object[name] !== null && !without.includes(name))
    .sort()
    .map((name) => `${name}=${JSON.stringify(object[name])}`)
    .join('\n');
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects of an array; nothing for anything else. */
export function objectsOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function stringOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
