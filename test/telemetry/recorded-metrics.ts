/** A real metrics SDK with an exporter in memory: what has been counted so far, as plain values. */
import type { Attributes } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';

export interface MetricPoint {
  readonly attributes: Attributes;
  readonly value: unknown;
}

export class RecordedMetrics {
  readonly #exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  readonly #reader = new PeriodicExportingMetricReader({
    exporter: this.#exporter,
    exportIntervalMillis: 1e8,
  });
  readonly provider = new MeterProvider({ readers: [this.#reader] });

  async all(): Promise<{ name: string; unit: string; points: MetricPoint[] }[]> {
    this.#exporter.reset();
    await this.#reader.forceFlush();
    const latest = this.#exporter.getMetrics().at(-1);
    return (latest?.scopeMetrics ?? []).flatMap(({ metrics }) =>
      metrics.map(({ descriptor, dataPoints }) => ({
        name: descriptor.name,
        unit: descriptor.unit,
        points: dataPoints.map(({ attributes, value }) => ({ attributes, value })),
      })),
    );
  }

  async points(name: string): Promise<MetricPoint[]> {
    return (await this.all()).find((metric) => metric.name === name)?.points ?? [];
  }

  async shutdown(): Promise<void> {
    await this.provider.shutdown();
  }
}
