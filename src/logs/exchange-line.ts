/**
 * Writes the project's own log format (design §6), one exchange a line: what `exchange-fields.ts` reads.
 *
 * The body goes in as it was sent, byte for byte, as it is what a divergence is looked for in.
 */
import type { Exchange, ExchangeResponse } from '../exchange.ts';

export function exchangeLine({ body, response, ...request }: Exchange): string {
  const { api, atMs, endpoint, headers, model, scope } = request;
  const line = JSON.stringify({
    ...{ api, at: timeOf(atMs), endpoint, headers, model, scope },
    usage: response?.usage,
    response: response && responseFields(response),
  });
  return `${line.slice(0, -1)},"body":${typeof body === 'string' ? oneLine(body) : JSON.stringify(body)}}\n`;
}

function responseFields(response: ExchangeResponse): Record<string, unknown> {
  const { ending, status, id, model, provider, serviceTier, error, diagnostics } = response;
  return {
    ...{ ending, status, id, model, provider, error, diagnostics },
    service_tier: serviceTier,
    first_byte_at: timeOf(response.firstByteAtMs),
    completed_at: timeOf(response.completedAtMs),
  };
}

function timeOf(atMs: number | undefined): string | undefined {
  return atMs === undefined ? undefined : new Date(atMs).toISOString();
}

/** Line breaks of JSON stand between its parts and say nothing; a text that is no JSON is kept as a string. */
function oneLine(body: string): string {
  try {
    JSON.parse(body);
    return body.replace(/[\n\r]+/g, ' ');
  } catch {
    return JSON.stringify(body);
  }
}
