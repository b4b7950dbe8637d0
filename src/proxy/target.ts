/**
 * What stands behind the proxy: one address, or several, each under a path of its own.
 *
 * Paths go on as they came, byte for byte: a normalised path would be another request, and with some APIs another signature.
 */

export interface ProxyTarget {
  /** The beginning of the paths that lead here: `/anthropic`. Empty: all of them. */
  readonly prefix: string;
  /** Its own path is put in front of what remains. */
  readonly url: URL;
}

/** The address that a request goes on to. */
export interface Upstream {
  readonly url: URL;
  /** With the query, as sent. */
  readonly path: string;
}

/** The address, or what is wrong with it. */
export function parseTarget(text: string): URL | string {
  if (!URL.canParse(text)) return 'it is no URL; expected one like https://api.anthropic.com';
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'it is neither http:// nor https://';
  if (url.username !== '' || url.password !== '') return 'it has a user name in it';
  if (url.search !== '' || url.hash !== '') return 'it has a query or fragment; requests bring their own';
  return url;
}

/** `undefined` where no target has this path. The longest prefix wins. */
export function upstreamOf(targets: readonly ProxyTarget[], requestPath: string): Upstream | undefined {
  let best: ProxyTarget | undefined;
  for (const target of targets) {
    if (!leadsTo(target, requestPath)) continue;
    if (best === undefined || target.prefix.length > best.prefix.length) best = target;
  }
  if (best === undefined) return undefined;
  const path = best.url.pathname.replace(/\/$/, '') + requestPath.slice(best.prefix.length);
  return { url: best.url, path: path.startsWith('/') ? path : `/${path}` };
}

function leadsTo({ prefix }: ProxyTarget, requestPath: string): boolean {
  // Clients that were set to use a forward proxy send whole URLs.
  if (!requestPath.startsWith('/') || !requestPath.startsWith(prefix)) return false;
  return prefix === '' || ['/', '?', undefined].includes(requestPath[prefix.length]);
}
