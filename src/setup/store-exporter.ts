/**
 * The local store as a span exporter, for an application with an OpenTelemetry set-up of its own that wants `prefixtrace
 * view` as well: the same spans with the same ids as in its backend.
 */
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import { guardAsync } from '../guard.ts';
import type { StoreSpanExporter } from '../store/exporter.ts';
import type { StoreWriterOptions } from '../store/writer.ts';

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
  let opening: Promise<StoreSpanExporter | undefined> | undefined;
  const open = () => {
    // Loaded when there is something to write.
    opening ??= guardAsync('the local store could not be opened', async () => {
      const { openExporter } = await import('../store/open-store.ts');
      opened = openExporter(options);
      return opened;
    });
    return opening;
  };
  return {
    export(spans, resultCallback) {
      const write = (exporter: StoreSpanExporter | undefined) =>
        exporter === undefined ? resultCallback(SUCCESS) : exporter.export(spans, resultCallback);
      if (opened === undefined) void open().then(write);
      else write(opened);
    },
    async forceFlush() {
      await (await opening)?.forceFlush();
    },
    async shutdown() {
      await (await opening)?.shutdown();
    },
  };
}
