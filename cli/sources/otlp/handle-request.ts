/** One request → its answer. Traces are handed on; metrics and logs are taken and dropped, so that no exporter complains. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonObject } from '../../../src/exchange.ts';
import {
  type Answer,
  CONTENT_TYPES,
  type Form,
  failure,
  formOf,
  partialSuccess,
  success,
} from './answers.ts';
import type { BodyProblem, ReadBody } from './body.ts';
import { TooManyParts } from './limits.ts';
import { tracesDataOf } from './traces-data.ts';

export interface TraceIntake {
  /** Takes the spans, or says how many it had no room for. */
  take(tracesData: JsonObject, sizeBytes: number): number;
  /** A request that was refused, for a person who wonders why nothing comes. */
  onRefused(reason: string): void;
}

const PATHS = ['/v1/traces', '/v1/metrics', '/v1/logs'];

const BODY_PROBLEMS: Readonly<Record<BodyProblem, readonly [status: number, message: string]>> = {
  'too large': [413, 'the body is larger than 64 MB: export smaller batches'],
  busy: [503, 'too much is arriving at once: try again'],
  'unknown encoding': [415, 'the content encoding is none of gzip, deflate and identity'],
  damaged: [400, 'the body cannot be unpacked'],
  'broken off': [400, 'the body was broken off'],
};

export async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  readBody: ReadBody,
  intake: TraceIntake,
): Promise<void> {
  const form = formOf(request.headers['content-type']) ?? 'json';
  const answer = await answerTo(request, readBody, intake);
  // Whoever still sends would not read an answer before the end of it.
  request.resume();
  if (!request.complete) await new Promise((resolve) => request.on('end', resolve).on('close', resolve));
  response.writeHead(answer.status, { 'content-type': CONTENT_TYPES[form], ...answer.headers });
  response.end(answer.body);
}

async function answerTo(request: IncomingMessage, readBody: ReadBody, intake: TraceIntake): Promise<Answer> {
  const path = (request.url ?? '').split('?')[0] ?? '';
  const form = formOf(request.headers['content-type']);
  const refuse = (status: number, message: string, headers?: Record<string, string>): Answer => {
    intake.onRefused(`${request.method} ${path}: ${message}`);
    return failure(form ?? 'json', status, message, headers);
  };
  // A page in a browser, of whatever site, can reach this port; programs send no such header.
  if (request.headers.origin !== undefined) return refuse(403, 'pages in a browser may not export to here');
  if (!PATHS.includes(path)) return refuse(404, `nothing is here; traces go to ${PATHS[0]}`);
  if (request.method !== 'POST') return refuse(405, 'only POST is understood', { allow: 'POST' });
  if (form === undefined)
    return refuse(415, 'the content type is none of application/x-protobuf and application/json');
  if (path !== PATHS[0]) return success(form);
  const body = await readBody(request);
  if (typeof body !== 'string') return takeTraces(body, form, intake, refuse);
  const [status, message] = BODY_PROBLEMS[body];
  return refuse(status, message, status === 503 ? { 'retry-after': '1' } : undefined);
}

function takeTraces(
  body: Buffer,
  form: Form,
  intake: TraceIntake,
  refuse: (status: number, message: string) => Answer,
): Answer {
  try {
    const rejectedSpans = intake.take(tracesDataOf(body, form), body.length);
    return rejectedSpans === 0
      ? success(form)
      : partialSuccess(form, rejectedSpans, 'spans come faster than they are shown');
  } catch (error) {
    // The reader's own message is not passed on: it may quote the body.
    return error instanceof TooManyParts
      ? refuse(413, 'the body holds too many parts: export smaller batches')
      : refuse(400, `the body is not OTLP ${form === 'json' ? 'JSON' : 'protobuf'}`);
  }
}
