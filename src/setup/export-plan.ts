/**
 * What the standard `OTEL_*` variables ask to export. Pure.
 *
 * The SDK's own default, an exporter to localhost where nothing is set, is not followed: a developer without a collector
 * gets the local store, not a retry every few seconds. An endpoint or an exporter that is named is meant.
 */
type Signal = 'traces' | 'metrics' | 'logs';
export type ExportPlan = Readonly<Record<Signal, boolean>>;

const NOTHING: ExportPlan = { traces: false, metrics: false, logs: false };

export function exportPlan(environment: NodeJS.ProcessEnv = process.env): ExportPlan {
  const isSet = (name: string) => (environment[name]?.trim() ?? '') !== '';
  if (environment.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return NOTHING;
  const asks = (signal: Signal): boolean => {
    const name = signal.toUpperCase();
    const exporter = environment[`OTEL_${name}_EXPORTER`]?.trim() ?? '';
    if (exporter !== '') return exporter !== 'none';
    return isSet('OTEL_EXPORTER_OTLP_ENDPOINT') || isSet(`OTEL_EXPORTER_OTLP_${name}_ENDPOINT`);
  };
  return { traces: asks('traces'), metrics: asks('metrics'), logs: asks('logs') };
}
