/** Reported calls into a real store, through the real sink. */
import type { ReportedCall } from '../../cli/summary/reported-call.ts';
import type { Diagnosis } from '../../src/diagnosis.ts';
import { createTelemetrySink } from '../../src/telemetry/sink.ts';

export async function recordStore(
  directory: string,
  calls: readonly ReportedCall[],
  captureContent = false,
): Promise<void> {
  const sink = createTelemetrySink({ store: { directory }, captureContent });
  for (const call of calls) {
    const {
      id: _,
      outputTokens,
      durationMs,
      timeToFirstByteMs,
      layout,
      floor,
      change,
      lifetimeMs,
      excerpt,
      ...rest
    } = call;
    const diagnosis: Diagnosis = { ...rest, api: rest.api ?? 'anthropic.messages' };
    const atMs = Date.parse(rest.at ?? '');
    const open = sink.open({
      api: diagnosis.api,
      body: '{}',
      model: rest.model ?? undefined,
      atMs,
      scope: {},
    });
    open.end(
      {
        diagnosis,
        evidence: {
          layout,
          floor,
          change,
          lifetimeMs,
          excerpt,
          outputTokens,
          timeToFirstByteMs,
          durationMs,
          prefixHash: 'x',
          requestModel: null,
          componentTokens: { tools: 0, system: 0, messages: 0 },
        },
      },
      { ending: 'completed', completedAtMs: atMs + (durationMs ?? 0) },
    );
  }
  await sink.shutdown();
}
