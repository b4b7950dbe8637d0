/** What an application may set of our telemetry. */
import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import type { Redact } from './excerpts.ts';
import type { FindingListener } from './finding-listener.ts';
import type { OpenStoreOptions } from './local-tracer.ts';

export interface TelemetrySinkOptions {
  /** Where spans go, instead of the globally registered provider. @default the global one, else the local store */
  readonly tracerProvider?: TracerProvider | undefined;
  /** Where metrics go, instead of the globally registered provider; `false`: none. @default the global one */
  readonly metrics?: MeterProvider | false | undefined;
  /** Write short excerpts of what changed on divergence spans. @default `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` */
  readonly captureContent?: boolean | undefined;
  /**
   * Decides what may be exported of an excerpt, where content is captured. If it throws, nothing of the excerpt is.
   *
   * @example redact: (text) => text.replace(/\S+@\S+/g, '[address]')
   */
  readonly redact?: Redact | undefined;
  /**
   * Told of each finding (a divergence or a miss that cost something and was not declared), once, after the call went on.
   * What it throws is reported and goes no further; a promise is not awaited. No content is in it.
   *
   * @example onDivergence: ({ divergence, tokens }) => log.warn(divergence?.label, tokens.rebilled)
   */
  readonly onDivergence?: FindingListener | undefined;
  /**
   * Put the line of the application that made the call on its span (`code.function.name`, `code.file.path`,
   * `code.line.number`). Costs a stack a call: 20 µs when it is made and 40 µs when it ends
   * (25 frames, Node 20; with source maps on, more). Clients that hide their callers have none: see `call-site.ts`.
   *
   * @default false, unless `PREFIXTRACE_CALL_SITE=1` is set
   */
  readonly callSite?: boolean | undefined;
  /** Key of `prompt_cache.prefix.id`; give several processes the same to compare across them. @default random per process */
  readonly prefixKey?: string | Uint8Array | undefined;
  /** The local store, for applications without tracing; `false`: none. */
  readonly store?: OpenStoreOptions | false | undefined;
}
