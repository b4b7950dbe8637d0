/**
 * What an OTLP server answers, in the form in which it was asked (OTLP specification, "OTLP/HTTP Response"): an empty
 * message for a success, what was not taken as a partial success, a `google.rpc.Status` for a failure.
 */
import protobuf from 'protobufjs/minimal.js';

export type Form = 'protobuf' | 'json';

export interface Answer {
  readonly status: number;
  readonly body: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Codes of `google.rpc.Code`, by HTTP status. */
const RPC_CODES: Readonly<Record<number, number>> = { 403: 7, 404: 5, 405: 12, 413: 8, 500: 13, 503: 14 };
const INVALID_ARGUMENT = 3;

export const CONTENT_TYPES: Readonly<Record<Form, string>> = {
  protobuf: 'application/x-protobuf',
  json: 'application/json',
};

export function formOf(contentType: string | undefined): Form | undefined {
  const type = contentType?.split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json') return 'json';
  return type === 'application/x-protobuf' || type === 'application/protobuf' ? 'protobuf' : undefined;
}

export function success(form: Form): Answer {
  return { status: 200, body: form === 'json' ? '{}' : '' };
}

export function partialSuccess(form: Form, rejectedSpans: number, errorMessage: string): Answer {
  if (form === 'json') {
    const partial = { rejectedSpans: String(rejectedSpans), errorMessage };
    return { status: 200, body: JSON.stringify({ partialSuccess: partial }) };
  }
  // ExportTraceServiceResponse { partial_success = 1 { rejected_spans = 1; error_message = 2 } }
  const writer = protobuf.Writer.create().uint32(tag(1, 2)).fork();
  writer.uint32(tag(1, 0)).int64(rejectedSpans).uint32(tag(2, 2)).string(errorMessage);
  return { status: 200, body: writer.ldelim().finish() };
}

export function failure(
  form: Form,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const code = RPC_CODES[status] ?? INVALID_ARGUMENT;
  if (form === 'json') return { status, body: JSON.stringify({ code, message }), headers };
  // google.rpc.Status { code = 1; message = 2 }
  const writer = protobuf.Writer.create().uint32(tag(1, 0)).int32(code).uint32(tag(2, 2)).string(message);
  return { status, body: writer.finish(), headers };
}

function tag(fieldNumber: number, wireType: number): number {
  return (fieldNumber << 3) | wireType;
}
