/**
 * OpenTelemetry's `NodeSDK`, set up by the standard variables and registered globally, as the application itself would.
 *
 * It takes a third of a second to load, so it is loaded here, at need, and synchronously: after set-up returns, spans of
 * the program's first line have somewhere to go.
 */
import { createRequire } from 'node:module';
import type { NodeSDK } from '@opentelemetry/sdk-node';
import { guardAsync } from '../guard.ts';
import { globalMeterProvider } from '../opentelemetry.ts';
import { applicationTracer, flushApplication } from '../telemetry/application-tracer.ts';
import type { ExportPlan } from './export-plan.ts';

type NodeSdkModule = typeof import('@opentelemetry/sdk-node');

export interface ExportingSdk {
  /** Spans, and metrics where there are any. Never rejects. */
  flush(): Promise<void>;
  shutdown(): Promise<void>;
}

export function loadNodeSdk(): NodeSdkModule {
  return createRequire(import.meta.url)('@opentelemetry/sdk-node') as NodeSdkModule; // its own types
}

/** Registers nothing a second time: a signal that the application set up by itself stays the application's. */
export function startNodeSdk(
  { NodeSDK }: NodeSdkModule,
  plan: ExportPlan,
  serviceName: string | undefined,
): ExportingSdk {
  const hasTracing = applicationTracer() !== undefined;
  const hasMetrics = flushOf(globalMeterProvider()) !== undefined;
  const sdk: NodeSDK = new NodeSDK({
    ...(serviceName !== undefined && { serviceName }),
    // Left out, each is taken from the environment; an empty list means none.
    ...((!plan.traces || hasTracing) && { spanProcessors: [] }),
    ...((!plan.metrics || hasMetrics) && { metricReaders: [] }),
    ...(!plan.logs && { logRecordProcessors: [] }),
  });
  sdk.start();
  return {
    async flush() {
      await guardAsync('spans could not be exported', () => flushApplication());
      await guardAsync('metrics could not be exported', async () => flushOf(globalMeterProvider())?.());
    },
    async shutdown() {
      await guardAsync('the OpenTelemetry SDK could not be shut down', () => sdk.shutdown());
    },
  };
}

/** The API knows no flush; the SDK's providers have one. */
function flushOf(provider: object | undefined): (() => Promise<void>) | undefined {
  const { forceFlush } = (provider ?? {}) as { forceFlush?: () => Promise<void> }; // not in the API's type
  return typeof forceFlush === 'function' ? () => forceFlush.call(provider) : undefined;
}
