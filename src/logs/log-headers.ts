/**
 * Headers as logs hold them: an object or a list of pairs, names in any case, values redacted or not.
 * Invariant: what leaves here is the allow-list and a hash of the credential, never the credential.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { allowedHeaders } from '../headers.ts';

export interface HeaderFacts {
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly account: string | undefined;
}

/** Who pays: a credential, or the workspace or project that it is used for. */
const ACCOUNT_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'cf-aig-authorization',
  'anthropic-workspace-id',
  'openai-organization',
  'openai-project',
  'x-goog-user-project',
]);

export function readHeaders(value: unknown): HeaderFacts {
  const pairs = pairsOf(value);
  const parts = pairs
    .filter(([name, text]) => ACCOUNT_HEADERS.has(name) && text !== '')
    .map(([name, text]) => `${name}:${steadyPart(text)}`);
  return { headers: allowedHeaders(pairs), account: parts.length === 0 ? undefined : markOf(parts) };
}

const markKey = randomBytes(32);

/** Equal for equal credentials in one run, of no other use. Redacted ones (`Bearer redacted:acct-1`) compare as well. */
function markOf(parts: readonly string[]): string {
  return createHmac('sha256', markKey)
    .update([...parts].sort().join('\n'))
    .digest('hex')
    .slice(0, 16);
}

/** AWS signs every request anew; the access key and the region at the front of the signature stay. */
function steadyPart(credential: string): string {
  const scope = /Credential=([^/]+)\/\d+\/([^/]+)\//.exec(credential);
  return scope === null ? credential : `${scope[1]}/${scope[2]}`;
}

function pairsOf(value: unknown): [string, string][] {
  if (typeof value !== 'object' || value === null) return [];
  const entries: [unknown, unknown][] = Array.isArray(value) ? value.filter(isPair) : Object.entries(value);
  return entries.flatMap(([name, text]): [string, string][] => {
    const values = Array.isArray(text) ? text : [text];
    return values
      .filter((part) => typeof part === 'string' || typeof part === 'number')
      .map((part) => [String(name).toLowerCase(), String(part)]);
  });
}

function isPair(value: unknown): value is [unknown, unknown] {
  return Array.isArray(value) && value.length === 2;
}
