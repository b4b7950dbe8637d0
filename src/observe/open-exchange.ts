/**
 * One exchange from dispatch to end: reads the request, opens its record, and follows what comes back.
 */
import { trace } from '@opentelemetry/api';
import { accountMark, accountParts } from '../account.ts';
import type { ExchangeRequest, JsonObject, Scope } from '../exchange.ts';
import { guard, report } from '../guard.ts';
import { allowedHeaders } from '../headers.ts';
import { routeOf } from '../route.ts';
import { SUGGESTING_MEMBERS, suggestScope } from '../suggested-scope.ts';
import { observedResponse } from './observed-response.ts';
import type { Recorder, Recording } from './recorder.ts';
import { ResponseObserver, transportError } from './response-observer.ts';
import { declaredScope, mergeScopes, type TakenRebuild, takeExpectedRebuild } from './scope.ts';
import { type FetchArguments, type SentRequest, sentRequest } from './sent-request.ts';
import { topLevelMembers } from './top-level-members.ts';

export interface OpenExchange {
  /** The response to hand to the caller: `source`, or its observed copy. */
  respond(source: Response): Response;
  /** The request was rejected before there was a response. */
  reject(error: unknown): void;
}

/** `undefined` where the request is no model call that can be read. Runs after dispatch, on the caller's path. */
export function openExchange(
  fetchArguments: FetchArguments,
  clientScope: Scope,
  recorder: Recorder,
): OpenExchange | undefined {
  const sent = sentRequest(fetchArguments);
  if (sent === undefined) return undefined;
  const route = routeOf(sent.method, sent.url, sent.readBody);
  const body = route === undefined ? undefined : sent.readBody();
  if (route === undefined || body === undefined) return undefined;

  const rebuild = takeExpectedRebuild();
  const request: ExchangeRequest = {
    ...route,
    body,
    atMs: recorder.now(),
    endpoint: sent.url.host,
    headers: allowedHeaders(sent.headers),
    scope: mergeScopes(clientScope, declaredScope()),
    expectedRebuild: rebuild?.reason,
  };
  const recording = recorder.open(request, enrichment(sent));
  return follow(request, sent, withRebuild(recording, rebuild), recorder);
}

/** What takes longer than a few microseconds; what may change meanwhile is read now. */
function enrichment(sent: SentRequest): (request: ExchangeRequest) => ExchangeRequest {
  const parts = accountParts(sent.headers, sent.url);
  const conversationId = activeConversationId();
  return (request) => {
    const body = topLevelMembers(String(request.body), SUGGESTING_MEMBERS) as JsonObject;
    return {
      ...request,
      account: accountMark(parts),
      suggestedScope: suggestScope({ headers: request.headers, body, conversationId }),
    };
  };
}

/** The API has no getter for attributes, SDK spans have the field. */
function activeConversationId(): string | undefined {
  const span = trace.getActiveSpan() as { readonly attributes?: Record<string, unknown> } | undefined;
  const value = span?.attributes?.['gen_ai.conversation.id'];
  return typeof value === 'string' ? value : undefined;
}

/** A failed attempt was not the rebuild that was announced: its retry is. */
function withRebuild(recording: Recording, rebuild: TakenRebuild | undefined): Recording {
  if (rebuild === undefined) return recording;
  return {
    end(response) {
      if (response.ending === 'failed') rebuild.giveBack();
      recording.end(response);
    },
  };
}

function follow(
  { api }: ExchangeRequest,
  { signal }: SentRequest,
  recording: Recording,
  { now, abandonedAfterMs }: Recorder,
): OpenExchange {
  return {
    respond(source) {
      const firstByteAtMs = now();
      const { status } = source;
      const observer = new ResponseObserver(
        {
          api,
          status,
          contentType: source.headers.get('content-type')?.toLowerCase() ?? '',
          firstByteAtMs,
          isAborted: () => signal?.aborted === true,
          now,
        },
        (response) => recording.end(response),
      );
      const observed = guard('a response could not be observed', () => observedResponse(source, observer));
      if (observed === undefined) {
        if (source.body)
          report('a response of an unusual kind passes unread, its usage is unknown', undefined);
        observer.onEnd({ reason: 'eof' });
        return source;
      }
      observer.watch(observed.body, abandonedAfterMs);
      return observed.response;
    },
    reject(error) {
      const isAborted = signal?.aborted === true;
      recording.end({
        ending: isAborted ? 'canceled' : 'failed',
        completedAtMs: now(),
        error: isAborted ? undefined : transportError(error),
      });
    },
  };
}
