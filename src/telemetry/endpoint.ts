/** Host and port of an endpoint, as `server.address` and `server.port` have them. */

/** The port is known only where it is not the default one; which default it was (443 or 80) an exchange does not say. */
export function splitEndpoint(endpoint: string | undefined): { address?: string; port?: number } {
  if (endpoint === undefined || endpoint === '') return {};
  const [, address = endpoint, port] = /^(.*):(\d{1,5})$/.exec(endpoint) ?? [];
  const host = address.replace(/^\[(.*)\]$/, '$1');
  return port === undefined ? { address: host } : { address: host, port: Number(port) };
}
