/**
 * The local store as a span exporter, for an application with an OpenTelemetry set-up of its own that wants `prefixtrace
 * view` as well: the same spans with the same ids as in its backend.
 */
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import { guard } from '../guard.ts';
import { storeDirectory } from '../store/directory.ts';
import { StoreSpanExporter } from '../store/exporter.ts';
import { loadSdkSync } from '../store/sdk.ts';
import { StoreWriter, type StoreWriterOptions } from '../store/writer.ts';

export type StoreExporterOptions = Partial<StoreWriterOptions>;

const SUCCESS = { code: 0 }; // `ExportResultCode.SUCCESS`; a failure would be logged by the SDK at each batch

/**
 * Writes all spans that it is given; the readers pick out those of model calls.
 *
 * @example
 * new NodeSDK({ spanProcessors: [new BatchSpanProcessor(yourExporter), new BatchSpanProcessor(storeExporter())] }).start();
 */
export function storeExporter(options: StoreExporterOptions = {}): SpanExporter {
  let opened: StoreSpanExporter | undefined;
  const open = () => {
    const writer = new StoreWriter({ ...options, directory: options.directory ?? storeDirectory() });
    return new StoreSpanExporter(writer, loadSdkSync().JsonTraceSerializer);
  };
  return {
    export(spans, resultCallback) {
      opened ??= guard('the local store could not be opened', open);
      if (opened === undefined) resultCallback(SUCCESS);
      else opened.export(spans, resultCallback);
    },
    async forceFlush() {
      await opened?.forceFlush();
    },
    async shutdown() {
      await opened?.shutdown();
    },
  };
}
