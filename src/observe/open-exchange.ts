/**
 * One exchange from dispatch to end: reads the request, opens its record, and follows what comes back.
 */
import { accountMark, accountParts } from '../account.ts';
import type { Api, ExchangeRequest, Scope } from '../exchange.ts';
import { guard, report } from '../guard.ts';
import { allowedHeaders } from '../headers.ts';
import { activeContext, spanOf } from '../opentelemetry.ts';
import { apiOfPath, routeOf } from '../route.ts';
import type { Recorder, Recording } from './recorder.ts';
import { ResponseObserver, transportError } from './response-observer.ts';
import { declaredScope, mergeScopes, type TakenRebuild, takeExpectedRebuild } from './scope.ts';
import type { SentRequest } from './sent-request.ts';

export interface OpenExchange {
  readonly api: Api;
  /** The response of the call before in this lineage, where there was one. Costs the reading of the request. */
  previousResponseId(): string | undefined;
  /** There is a response. What comes back is shown its body, chunk by chunk as the caller reads, and ends the record. */
  respond(head: ResponseHead): ResponseObserver;
  /** The request was rejected before there was a response. */
  reject(error: unknown): void;
}

interface ResponseHead {
  readonly status: number;
  readonly contentType: string | null | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** `undefined` where the request is no model call that can be read. Runs after dispatch, on the caller's path. */
export function openExchange(
  sent: SentRequest,
  clientScope: Scope,
  recorder: Recorder,
): OpenExchange | undefined {
  const startedAtMs = performance.now();
  const exchange = opened(sent, clientScope, recorder);
  if (exchange !== undefined) recorder.spend?.('caller', performance.now() - startedAtMs);
  return exchange;
}

function opened(sent: SentRequest, clientScope: Scope, recorder: Recorder): OpenExchange | undefined {
  const open = opener(sent, clientScope, recorder);
  if (sent.bodyLater !== undefined) {
    const api = apiOfPath(sent.method, sent.url);
    return api && follow(api, sent, recordingLater(sent.bodyLater.then(open)), recorder);
  }
  const route = routeOf(sent.method, sent.url, sent.readBody);
  const recording = route && open(sent.readBody());
  return recording && follow(route.api, sent, recording, recorder);
}

/** Reads at once what may change while the body is waited for. */
function opener(
  sent: SentRequest,
  clientScope: Scope,
  recorder: Recorder,
): (bodyText: string | undefined) => Recording | undefined {
  const atMs = recorder.now();
  const headers = allowedHeaders(sent.headers);
  const conversationId = activeConversationId();
  const parts = accountParts(sent.headers, sent.url);
  // A keyed hash takes longer than all the rest here.
  const enrich = (request: ExchangeRequest): ExchangeRequest => ({ ...request, account: accountMark(parts) });
  return (bodyText) => {
    const route = routeOf(sent.method, sent.url, () => bodyText);
    if (route === undefined || bodyText === undefined) return undefined;
    const rebuild = takeExpectedRebuild();
    const request: ExchangeRequest = {
      ...route,
      body: bodyText,
      atMs,
      endpoint: sent.url.host,
      headers,
      conversationId,
      scope: mergeScopes(clientScope, declaredScope()),
      expectedRebuild: rebuild?.reason,
    };
    return withRebuild(recorder.open(request, enrich), rebuild);
  };
}

/** The API has no getter for attributes, SDK spans have the field. */
export function activeConversationId(): string | undefined {
  const span = spanOf(activeContext()) as { readonly attributes?: Record<string, unknown> } | undefined;
  const value = span?.attributes?.['gen_ai.conversation.id'];
  return typeof value === 'string' ? value : undefined;
}

/** A failed attempt was not the rebuild that was announced: its retry is. */
export function withRebuild(recording: Recording, rebuild: TakenRebuild | undefined): Recording {
  if (rebuild === undefined) return recording;
  let isGivenBack = false;
  const giveBack = (): void => {
    if (!isGivenBack) rebuild.giveBack();
    isGivenBack = true;
  };
  return {
    ...recording,
    fail(response) {
      giveBack();
      recording.fail?.(response);
    },
    end(response) {
      if (response.ending === 'failed') giveBack();
      recording.end(response);
    },
  };
}

/** Holds the end of a call until it is known whether the request was one. */
function recordingLater(opening: Promise<Recording | undefined>): Recording {
  const once = (step: (recording: Recording) => void): void => {
    void opening.then(
      (recording) => recording && guard('a request could not be recorded', () => step(recording)),
      (error: unknown) => report('a request could not be recorded', error),
    );
  };
  return {
    fail: (response) => once((recording) => recording.fail?.(response)),
    end: (response) => once((recording) => recording.end(response)),
  };
}

function follow(api: Api, { signal }: SentRequest, recording: Recording, recorder: Recorder): OpenExchange {
  const { now, abandonedAfterMs } = recorder;
  const isAborted = () => signal?.aborted === true;
  return {
    api,
    previousResponseId: () => recording.previousResponseId?.(),
    respond({ status, contentType, retryAfterMs }) {
      const firstByteAtMs = now();
      if (status >= 400) recording.fail?.({ ending: 'failed', status, retryAfterMs, firstByteAtMs });
      return new ResponseObserver(
        {
          api,
          status,
          contentType: contentType?.toLowerCase() ?? '',
          retryAfterMs,
          firstByteAtMs,
          isAborted,
          now,
          abandonedAfterMs,
          spend: (durationMs) => recorder.spend?.('caller', durationMs),
        },
        (response) => recording.end(response),
      );
    },
    reject(error) {
      // Not every transport shows its signal; the error of an abort has one name everywhere.
      const isCanceled = isAborted() || (error instanceof Error && error.name === 'AbortError');
      recording.end({
        ending: isCanceled ? 'canceled' : 'failed',
        completedAtMs: now(),
        error: isCanceled ? undefined : transportError(error),
      });
    },
  };
}
