/** Who is calling, said in headers by a program that no hook reaches into. They are for the proxy and go no further. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Scope } from '../exchange.ts';

const PARTS = ['thread', 'phase', 'delegation'] as const;
const HEADER_START = 'x-prefixtrace-';

export function isScopeHeader(name: string): boolean {
  return PARTS.some((part) => name.toLowerCase() === HEADER_START + part);
}

export function scopeOfHeaders(headers: IncomingHttpHeaders): Scope {
  const scope: { -readonly [Part in keyof Scope]: Scope[Part] } = {};
  for (const part of PARTS) {
    const value = headers[HEADER_START + part];
    if (typeof value === 'string' && value.trim() !== '') scope[part] = value.trim();
  }
  return scope;
}
