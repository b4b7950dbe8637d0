/**
 * Headers as logs hold them: an object or a list of pairs, names in any case, values redacted or not.
 * Invariant: what leaves here is the allow-list and a hash of the credential, never the credential.
 */
import { accountMark, accountParts } from '../account.ts';
import { allowedHeaders } from '../headers.ts';

export interface HeaderFacts {
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly account: string | undefined;
}

export function readHeaders(value: unknown): HeaderFacts {
  const pairs = pairsOf(value);
  // Redacted credentials (`Bearer redacted:acct-1`) compare as well.
  return { headers: allowedHeaders(pairs), account: accountMark(accountParts(pairs)) };
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
