/**
 * A mark that is equal for equal credentials and of no other use: a changed key or workspace is a cold cache.
 *
 * The HMAC key is random, lives as long as the process and is never written anywhere, so a mark cannot be tested
 * against a list of guessed keys, and marks of two processes do not compare; unless they share heads under a secret of
 * their own, which keys the marks as well.
 */
import { nodeCrypto } from './node-crypto.ts';

const CREDENTIAL_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'cf-aig-authorization',
]);

const TENANT_HEADERS: ReadonlySet<string> = new Set([
  'anthropic-workspace-id',
  'openai-organization',
  'openai-project',
  'x-goog-user-project',
]);

let processKey: Uint8Array | undefined;

/** The account of the last call, which is nearly always that of the next. Its client holds the credential as well. */
let latest: { readonly identity: string; readonly mark: string } | undefined;

/** For instances that compare their accounts: a key that all of them have, and nobody else. */
export function keyAccountsWith(key: Uint8Array): void {
  processKey = key;
  latest = undefined;
}

/** Picks out what identifies the account. Cheap, so that it can run before the caller may change its headers. */
export function accountParts(headers: Iterable<readonly [string, string]>, url?: URL): readonly string[] {
  const parts: string[] = [];
  for (const [rawName, value] of headers) {
    if (value === '') continue;
    const name = rawName.toLowerCase();
    if (CREDENTIAL_HEADERS.has(name)) parts.push(`${name}:${steadyPart(value)}`);
    else if (TENANT_HEADERS.has(name)) parts.push(`${name}:${value}`);
  }
  // Gemini takes its key in the query as well.
  const queryKey = url?.searchParams.get('key');
  if (queryKey) parts.push(`key:${queryKey}`);
  return parts;
}

/** 16 hex digits; `undefined` where the request carries no credential. */
export function accountMark(parts: readonly string[]): string | undefined {
  if (parts.length === 0) return undefined;
  const identity = [...parts].sort().join('\n');
  if (latest?.identity === identity) return latest.mark;
  const { createHmac, randomBytes } = nodeCrypto();
  processKey ??= randomBytes(32);
  const mark = createHmac('sha256', processKey).update(identity).digest('hex').slice(0, 16);
  latest = { identity, mark };
  return mark;
}

/** AWS signs every request anew; the access key and region at the front of the signature stay. */
function steadyPart(credential: string): string {
  const scope = /Credential=([^/]+)\/\d+\/([^/]+)\//.exec(credential);
  if (scope === null) return credential;
  const [, keyId, region] = scope;
  // Temporary keys change about once an hour, for one and the same account.
  return keyId?.startsWith('ASIA') ? `temporary/${region}` : `${keyId}/${region}`;
}
