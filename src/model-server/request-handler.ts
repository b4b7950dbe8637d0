/** From one HTTP request to one answer, and the record of both. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Answer, ApiModule, ServerState } from './answer.ts';
import { anthropicMessages } from './anthropic.ts';
import { Connection } from './connection.ts';
import { type FaultInAnswer, sendJson, sendStream } from './delivery.ts';
import { openAiChat } from './openai-chat.ts';
import { messageOfStatus, ProviderError } from './provider-error.ts';
import { type Route, routeOf } from './routes.ts';
import { isObject, stringOf } from './segments.ts';
import type { ModelServerOptions } from './server.ts';
import type { Fault, JsonObject, ModelRequest, RecordedRequest } from './types.ts';

export interface HandlerContext {
  readonly options: ModelServerOptions;
  readonly state: ServerState;
  readonly requests: RecordedRequest[];
  nowMs(): number;
  takeFault(): Fault | undefined;
  newId(start: string): string;
}

type OpenRecord = { -readonly [Name in keyof RecordedRequest]: RecordedRequest[Name] };

const DEFAULT_REPLY = { text: 'This is the answer of the model server.' };

export async function handleRequest(
  incoming: IncomingMessage,
  response: ServerResponse,
  context: HandlerContext,
): Promise<void> {
  const record: OpenRecord = {
    index: context.requests.length,
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: headersOf(incoming),
    bodyText: '',
    atMs: context.nowMs(),
    chunksWritten: 0,
  };
  context.requests.push(record);
  const connection = new Connection(response, () => {
    record.chunksWritten += 1;
  });
  const [path = ''] = record.path.split('?');
  const route = record.method === 'POST' ? routeOf(path) : undefined;
  // An unknown path answers in the form of the provider that the client seems to want.
  const errorModule = route?.module ?? (record.headers['anthropic-version'] ? anthropicMessages : openAiChat);
  const requestId = context.newId('req_');
  const headers = { [errorModule.requestIdHeader]: requestId };
  try {
    record.bodyText = await text(incoming);
    if (route === undefined)
      throw new ProviderError(404, `Not found: ${record.method} ${path}`, { code: 'unknown_url' });
    record.api = route.module.api;
    await answerRequest(route, record, requestId, connection, context);
  } catch (error) {
    // Too late for an error answer: break off, as a server that crashes would.
    if (record.status !== undefined) connection.drop();
    if (!connection.hasEnded) {
      const failure =
        error instanceof RejectedByFault ? error : { error: asProviderError(error), headers: {} };
      record.status = failure.error.status;
      const body = errorModule.errorBody(failure.error, requestId);
      await sendJson(connection, record.status, body, {
        ...headers,
        ...errorModule.errorHeaders?.(failure.error),
        ...failure.headers,
      });
    }
  }
  record.ending = await connection.ended;
  record.endedAtMs = context.nowMs();
}

async function answerRequest(
  route: Route,
  record: OpenRecord,
  requestId: string,
  connection: Connection,
  context: HandlerContext,
): Promise<void> {
  const { options, newId, state } = context;
  const fault = context.takeFault();
  if (fault?.kind === 'status') throw new RejectedByFault(fault);

  const { module } = route;
  const request = modelRequest(route, record);
  const reply = options.reply?.(request) ?? DEFAULT_REPLY;
  const account = accountOf(record.headers);
  const answer = module.answer(request, { state, account, nowMs: record.atMs, reply, newId });
  record.usage = answer.usage;
  record.cache = answer.figures;

  await connection.delay(options.firstByteDelayMs ?? 0);
  await options.beforeFirstByte?.(request);
  if (connection.hasEnded) return;
  // Without a first byte nothing was written to the cache.
  if (fault?.kind === 'drop' && fault.afterChunks === 0) return connection.drop();
  if (fault?.kind === 'endless' && !request.isStreaming) return;

  answer.begin();
  record.status = 200;
  record.firstByteAtMs = context.nowMs();
  await send(answer, request, fault, {
    module,
    requestId,
    connection,
    chunkDelayMs: options.chunkDelayMs ?? 0,
  });
}

async function send(
  answer: Answer,
  request: ModelRequest,
  fault: FaultInAnswer | undefined,
  to: { module: ApiModule; requestId: string; connection: Connection; chunkDelayMs: number },
): Promise<void> {
  const headers = { [to.module.requestIdHeader]: to.requestId };
  if (request.isStreaming) await sendStream(to.connection, answer, headers, { ...to, fault });
  else await sendJson(to.connection, 200, answer.json, headers, fault);
}

/** An injected error answer. */
class RejectedByFault extends Error {
  readonly error: ProviderError;
  readonly headers: Readonly<Record<string, string>>;

  constructor({ status, message, retryAfterSeconds }: Extract<Fault, { kind: 'status' }>) {
    super();
    this.error = new ProviderError(status, message ?? messageOfStatus(status));
    this.headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  }
}

/** A reply function that throws shows as a 500 with its message, so that a test says what is wrong. */
function asProviderError(error: unknown): ProviderError {
  return error instanceof ProviderError ? error : new ProviderError(500, String(error));
}

function modelRequest(route: Route, { index, headers, bodyText }: OpenRecord): ModelRequest {
  const { module, path } = route;
  const body = parseBody(bodyText);
  const model = route.model ?? stringOf(body.model);
  if (model === '') throw new ProviderError(400, 'model: Field required', { param: 'model' });
  return { index, api: module.api, model, isStreaming: module.isStreaming(body, path), headers, body };
}

function parseBody(bodyText: string): JsonObject {
  try {
    const body: unknown = JSON.parse(bodyText);
    if (isObject(body)) return body;
  } catch {
    // Reported below like any other body that is not an object.
  }
  throw new ProviderError(400, 'The request body is not a valid JSON object.');
}

/** Equal for equal credentials. Requests without one share an account: the server asks for none. */
function accountOf(headers: Readonly<Record<string, string>>): string {
  const stated = headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers.authorization ?? '';
  // AWS signs each request anew; the access key at the front of the signature stays.
  const credential = /Credential=([^/]+)\//.exec(stated)?.[1] ?? stated;
  return createHash('sha256').update(credential).digest('hex');
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
