/**
 * The public surface of `prefixtrace`. Others build on these names; nothing is exported by accident.
 */

export type { CallSink, OpenCall, OurPath } from './call-sink.ts';
export type { EngineOptions } from './diagnose.ts';
export type {
  CallCost,
  CallTokens,
  Certainty,
  Component,
  DiagnosedCall,
  Diagnosis,
  Divergence,
  Evidence,
  LayoutRun,
  Miss,
  Outcome,
  ProviderVerdict,
  TokenMethod,
} from './diagnosis.ts';
export type { Unreadable } from './engine.ts';
export type { Api, Ending, Exchange, ExchangeRequest, ExchangeResponse, Scope } from './exchange.ts';
export type { ObserveOptions } from './observe/observe-client.ts';
export { expectRebuild, withScope } from './observe/scope.ts';
export { diagnose, flush, observe, observeFetch, shutdown } from './runtime.ts';
export { type DiagnoseSpansOptions, diagnoseSpans } from './setup/diagnose-spans.ts';
export { type Prefixtrace, type PrefixtraceOptions, startPrefixtrace } from './setup/start-prefixtrace.ts';
export { type StoreExporterOptions, storeExporter } from './setup/store-exporter.ts';
export type { ExcerptPlace, Redact } from './telemetry/excerpts.ts';
export type { FindingListener } from './telemetry/finding-listener.ts';
