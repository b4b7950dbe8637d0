/**
 * Who wrote a span of the local store: service and process.
 *
 * `service.instance.id` tells processes apart whose lineages have the same names (`l1`, `l2`, … start anew in each).
 */
import { readFileSync } from 'node:fs';
import { nodeCrypto } from '../node-crypto.ts';

let instanceId: string | undefined;

export function resourceAttributes(
  serviceName?: string | undefined,
  environment: NodeJS.ProcessEnv = process.env,
): Record<string, string | number> {
  instanceId ??= nodeCrypto().randomUUID();
  return {
    'service.name': serviceName || environment.OTEL_SERVICE_NAME || packageName() || 'unknown_service:node',
    'service.instance.id': instanceId,
    'process.pid': process.pid,
  };
}

function packageName(): string | undefined {
  try {
    const { name } = JSON.parse(readFileSync('package.json', 'utf8')) as { name?: unknown }; // checked below
    return typeof name === 'string' ? name : undefined;
  } catch {
    return undefined; // no package here, or none that can be read: the application simply has no name
  }
}
