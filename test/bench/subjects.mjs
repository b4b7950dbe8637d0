// The subjects: what may stand between an application and its `openai` client. Each is set up as its documentation says, with
// its defaults, its spans going to memory. `recorded` tells how many model calls have left a span, so that no subject is
// measured doing nothing.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);

/** The newest major version that all of them support. */
export const CLIENT_PACKAGE = 'openai-v6';

export const SUBJECTS = {
  bare: { label: 'no wrapper', setUp: bare },
  'prefixtrace-memory': { label: 'prefixtrace, spans to memory', setUp: prefixtraceToMemory },
  'prefixtrace-memory-content': {
    label: 'prefixtrace, spans to memory, content',
    setUp: prefixtraceToMemory,
    content: true,
  },
  'prefixtrace-store': { label: 'prefixtrace, local store', setUp: prefixtraceToStore },
  'prefixtrace-store-content': {
    label: 'prefixtrace, local store, content',
    setUp: prefixtraceToStore,
    content: true,
  },
  contrib: {
    label: 'OpenTelemetry contrib',
    setUp: contrib,
    package: '@opentelemetry/instrumentation-openai',
  },
  traceloop: {
    label: 'Traceloop OpenLLMetry',
    setUp: traceloop,
    package: '@traceloop/instrumentation-openai',
  },
  langfuse: { label: 'Langfuse', setUp: langfuse, package: '@langfuse/openai' },
  openinference: {
    label: 'OpenInference (Arize)',
    setUp: openinference,
    package: '@arizeai/openinference-instrumentation-openai',
  },
};

export function versionOf(name) {
  let folder = require.resolve(name);
  for (;;) {
    folder = join(folder, '..');
    try {
      const found = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      if (found.version) return found.version;
    } catch {
      // Not the root of the package yet.
    }
  }
}

/** `wrap` makes the client that the application calls; `settled` waits for what the subject does behind the call. */
function subject({ wrap = (client) => client, recorded, settled = async () => {}, close = async () => {} }) {
  return { wrap, recorded, settled, close };
}

async function bare() {
  setUpContexts();
  return subject({ recorded: () => null });
}

/**
 * Once anything runs in a context of `AsyncLocalStorage`, Node 20 makes every promise of the process dearer. An application
 * that traces pays that already, so all subjects do, the bare client too.
 */
function setUpContexts() {
  const { AsyncLocalStorageContextManager } = require('@opentelemetry/context-async-hooks');
  const { context } = require('@opentelemetry/api');
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  context.with(context.active(), () => {});
}

/** A tracer provider as an application has it, with an exporter that keeps nothing but a count between calls. */
function memoryTracing() {
  const {
    BasicTracerProvider,
    SimpleSpanProcessor,
    InMemorySpanExporter,
  } = require('@opentelemetry/sdk-trace-base');
  const { trace } = require('@opentelemetry/api');
  setUpContexts();
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(provider);
  let counted = 0;
  const recorded = () => {
    counted += exporter
      .getFinishedSpans()
      .filter(({ parentSpanContext }) => parentSpanContext === undefined).length;
    exporter.reset();
    return counted;
  };
  return { provider, recorded };
}

function instrumented({ provider, recorded }, instrumentation, patch) {
  instrumentation.setTracerProvider(provider);
  // Contrib's makes its instruments only when it is told where metrics go: nowhere.
  instrumentation.setMeterProvider(require('@opentelemetry/api').metrics.getMeterProvider());
  patch(instrumentation, require(CLIENT_PACKAGE));
  return subject({ recorded });
}

/** What a loader hook would do when the package is loaded, which goes by another name here. */
function patchByHand(instrumentation, module) {
  const [definition] = [instrumentation.init()].flat();
  definition.patch(module, versionOf(CLIENT_PACKAGE));
}

async function contrib() {
  const { OpenAIInstrumentation } = require('@opentelemetry/instrumentation-openai');
  return instrumented(memoryTracing(), new OpenAIInstrumentation(), patchByHand);
}

async function traceloop() {
  const { OpenAIInstrumentation } = require('@traceloop/instrumentation-openai');
  return instrumented(
    memoryTracing(),
    new OpenAIInstrumentation({ exceptionLogger: () => {} }),
    (own, { OpenAI }) => own.manuallyInstrument(OpenAI),
  );
}

async function openinference() {
  const { OpenAIInstrumentation } = require('@arizeai/openinference-instrumentation-openai');
  return instrumented(memoryTracing(), new OpenAIInstrumentation(), (own, { OpenAI }) =>
    own.manuallyInstrument(OpenAI),
  );
}

async function langfuse() {
  const { observeOpenAI } = require('@langfuse/openai');
  const { recorded } = memoryTracing();
  return subject({ wrap: (client) => observeOpenAI(client), recorded });
}

function captureContent(isOn) {
  if (isOn) process.env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT = 'true';
}

async function prefixtrace(dist) {
  return await import(pathToFileURL(join(dist, 'index.js')).href);
}

async function prefixtraceToMemory({ dist, content }) {
  captureContent(content);
  const { recorded } = memoryTracing();
  const { observe, flush, shutdown } = await prefixtrace(dist);
  return subject({ wrap: (client) => observe(client), recorded, settled: flush, close: shutdown });
}

async function prefixtraceToStore({ dist, content }) {
  captureContent(content);
  setUpContexts();
  const folder = mkdtempSync(join(tmpdir(), 'prefixtrace-bench-'));
  process.env.PREFIXTRACE_DIR = folder;
  const { observe, flush, shutdown } = await prefixtrace(dist);
  // Spans of a batch share a line.
  const recorded = () =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => readFileSync(join(folder, name), 'utf8').match(/"name":"chat gpt-6-mini"/g)?.length ?? 0)
      .reduce((total, count) => total + count, 0);
  const close = async () => {
    await shutdown();
    rmSync(folder, { recursive: true, force: true });
  };
  return subject({ wrap: (client) => observe(client), recorded, settled: flush, close });
}
