/** A diagnosis from usage alone as a diagnosed call: of the prompt there is no evidence. */
import type { DiagnosedCall, Diagnosis } from '../../src/diagnosis.ts';

export function usageOnlyCall(diagnosis: Diagnosis): DiagnosedCall {
  const evidence = {
    layout: [],
    componentTokens: { tools: 0, system: 0, messages: 0 },
    requestModel: diagnosis.model,
    prefixHash: '',
    excerpt: null,
    change: null,
    lifetimeMs: null,
    timeToFirstByteMs: null,
    durationMs: null,
  };
  return { diagnosis, evidence };
}
