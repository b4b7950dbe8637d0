/**
 * The heavy parts of OpenTelemetry, loaded when the store is first written and not before: about 85 ms.
 *
 * Two ways to the same modules (they are CommonJS, and Node shares them between `import` and `require`): the usual one,
 * and a synchronous one for a process that ends before the first has come to its end.
 */
import { createRequire } from 'node:module';

type Core = typeof import('@opentelemetry/core');
type Transformer = typeof import('@opentelemetry/otlp-transformer');
type Resources = typeof import('@opentelemetry/resources');
type Trace = typeof import('@opentelemetry/sdk-trace-base');

export type StoreSdk = Pick<Core, 'SDK_INFO'> &
  Pick<Transformer, 'JsonTraceSerializer'> &
  Pick<Resources, 'resourceFromAttributes'> &
  Pick<Trace, 'AlwaysOnSampler' | 'BasicTracerProvider'>;

export async function loadSdk(): Promise<StoreSdk> {
  const [core, transformer, resources, trace] = await Promise.all([
    import('@opentelemetry/core'),
    import('@opentelemetry/otlp-transformer'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace-base'),
  ]);
  return pick(core, transformer, resources, trace);
}

export function loadSdkSync(): StoreSdk {
  const require = createRequire(import.meta.url);
  return pick(
    require('@opentelemetry/core') as Core,
    require('@opentelemetry/otlp-transformer') as Transformer,
    require('@opentelemetry/resources') as Resources,
    require('@opentelemetry/sdk-trace-base') as Trace,
  );
}

function pick(core: Core, transformer: Transformer, resources: Resources, trace: Trace): StoreSdk {
  return {
    SDK_INFO: core.SDK_INFO,
    JsonTraceSerializer: transformer.JsonTraceSerializer,
    resourceFromAttributes: resources.resourceFromAttributes,
    AlwaysOnSampler: trace.AlwaysOnSampler,
    BasicTracerProvider: trace.BasicTracerProvider,
  };
}
