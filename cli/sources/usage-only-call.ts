/** A diagnosis from usage alone as a diagnosed call: of the prompt there is no evidence. */
import type { CallTokens, DiagnosedCall, Diagnosis } from '../../src/diagnosis.ts';
import type { Exchange } from '../../src/exchange.ts';
import type { UsageRecord } from '../../src/usage-only/usage-record.ts';

export function usageOnlyCall(diagnosis: Diagnosis, outputTokens: number | null): DiagnosedCall {
  const evidence = {
    layout: [],
    floor: null,
    componentTokens: { tools: 0, system: 0, messages: 0 },
    requestModel: diagnosis.model,
    prefixHash: '',
    excerpt: null,
    change: null,
    lifetimeMs: null,
    outputTokens,
    timeToFirstByteMs: null,
    durationMs: null,
  };
  return { diagnosis, evidence };
}

/** For a store, where what nobody knows is absent: sizes of parts of a prompt that nobody saw are not zero. */
export function storedWithoutPrompt(
  { api, atMs, model, conversation, usage }: UsageRecord,
  { diagnosis, evidence }: DiagnosedCall,
): { readonly exchange: Exchange; readonly call: DiagnosedCall } {
  const { shared: _shared, behind: _behind, ...tokens } = diagnosis.tokens;
  return {
    exchange: {
      ...{ api, model: model ?? undefined, atMs: atMs ?? undefined, scope: { thread: conversation } },
      body: {},
      response: {
        ending: 'completed',
        usage: usage.output === null ? undefined : { output_tokens: usage.output },
      },
    },
    // Spans are made of what is there; a reader of them sees a `CallTokens` again.
    call: {
      diagnosis: { ...diagnosis, tokens: tokens as CallTokens },
      evidence: { ...evidence, componentTokens: {} as DiagnosedCall['evidence']['componentTokens'] },
    },
  };
}
