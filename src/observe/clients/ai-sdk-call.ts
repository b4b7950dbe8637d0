/**
 * One call of an AI SDK model, recorded from its results: they carry the body that the provider's adapter sent, and the
 * usage as the API returned it.
 */
import type { Ending, ExchangeRequest } from '../../exchange.ts';
import { guard, report } from '../../guard.ts';
import { isSuppressed } from '../../opentelemetry.ts';
import { isRecord } from '../../response/response-facts.ts';
import { watchForAbandonment } from '../abandonment.ts';
import { activeConversationId, withRebuild } from '../open-exchange.ts';
import { observedParts } from '../part-stream.ts';
import type { Recording } from '../recorder.ts';
import { noteRecording } from '../recording-note.ts';
import { declaredScope, mergeScopes, takeExpectedRebuild } from '../scope.ts';
import { failureFacts, PartReading, resultFacts } from './ai-sdk-facts.ts';
import type { LanguageModel } from './ai-sdk-model.ts';
import { type SentByModel, sentBody } from './ai-sdk-sent.ts';
import type { HookContext } from './client-hook.ts';

export interface ResultCall {
  generated(result: object): void;
  /** Gives the result to hand out, its stream observed. */
  streamed(result: object): object;
  failed(error: unknown): void;
}

/** Adapters throw on all else. Without a status, a stream that breaks would look like a request that never arrived. */
const ANSWERED = { status: 200 };

/** Reads at once what may change until there is a result. */
export function beginCall(
  model: LanguageModel,
  options: unknown,
  context: HookContext,
): ResultCall | undefined {
  const recorder = context.currentRecorder();
  if (isSuppressed() || recorder.isClosed) return undefined;
  const { now, abandonedAfterMs } = recorder;
  const atMs = now();
  const scope = mergeScopes(context.scope, declaredScope());
  const conversationId = activeConversationId();
  const { abortSignal } = (options ?? {}) as { readonly abortSignal?: AbortSignal };
  const isAborted = (): boolean => abortSignal?.aborted === true;

  const open = ({ api, body, bodyText }: SentByModel): Recording => {
    const rebuild = takeExpectedRebuild();
    const request: ExchangeRequest = {
      api,
      body: bodyText,
      ...(body.model === undefined && { model: model.modelId }),
      atMs,
      conversationId,
      scope,
      expectedRebuild: rebuild?.reason,
    };
    noteRecording();
    const recording = recorder.open(request);
    return withRebuild(recording, rebuild);
  };

  return {
    generated(result) {
      const sent = sentOf(result, model);
      if (sent === undefined) return;
      const completedAtMs = now();
      let end = (): void => {};
      // To diagnose takes a moment that the caller need not wait. Queued ahead of what `open` queues, so that a `flush()`
      // right after the call finds it ended.
      setImmediate(() => guard('a result of a model could not be read', end));
      const recording = open(sent);
      end = () =>
        recording.end({ ...resultFacts(sent.api, result), ...ANSWERED, ending: 'completed', completedAtMs });
    },
    streamed(result) {
      const { stream } = result as { readonly stream: ReadableStream<unknown> };
      const sent = sentOf(result, model);
      if (sent === undefined) return result;
      const reading = new PartReading(sent.api);
      const recording = open(sent);
      const firstByteAtMs = now();
      const end = (ending: Ending): void => {
        watch.stop();
        recording.end({ ...reading.facts, ...ANSWERED, ending, firstByteAtMs, completedAtMs: now() });
      };
      const observed = observedParts(stream, {
        onPart(part) {
          watch.touch(performance.now());
          reading.read(part);
          if (reading.isFinished) end(reading.endingOf({ reason: 'eof' }, isAborted()));
        },
        onEnd: (bodyEnd) => end(reading.endingOf(bodyEnd, isAborted())),
      });
      const watch = watchForAbandonment(observed, () => end('canceled'), abandonedAfterMs);
      return { ...result, stream: observed };
    },
    failed(error) {
      // Errors of the SDK (`APICallError`) name the body that failed.
      const { requestBodyValues } = isRecord(error) ? error : {};
      const sent = sentBody(requestBodyValues, model.provider);
      if (sent === undefined) return;
      open(sent).end({
        ...failureFacts(error),
        ending: isAborted() ? 'canceled' : 'failed',
        completedAtMs: now(),
      });
    },
  };
}

function sentOf(result: object, { provider }: LanguageModel): SentByModel | undefined {
  const { request } = result as { readonly request?: { readonly body?: unknown } };
  const sent = sentBody(request?.body, provider);
  if (sent === undefined) {
    report('a model did not say what it sent, or no API that is known: its calls are not recorded', {
      provider,
    });
  }
  return sent;
}
