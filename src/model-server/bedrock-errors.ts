/**
 * How Bedrock says that something went wrong: the type in a header, the message as JSON, or an exception inside the stream.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#API_runtime_Converse_Errors
 */
import type { ApiModule } from './answer.ts';
import { AWS_EVENT_STREAM_TYPE, exceptionFrame } from './aws-event-stream.ts';
import type { ProviderError } from './provider-error.ts';

const EXCEPTIONS: Readonly<Record<number, string>> = {
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  408: 'ModelTimeoutException',
  424: 'ModelErrorException',
  429: 'ThrottlingException',
  503: 'ServiceUnavailableException',
  529: 'ServiceUnavailableException',
};

/** The part of an API module that all of Bedrock shares. */
export const BEDROCK_WIRE = {
  streamType: AWS_EVENT_STREAM_TYPE,
  requestIdHeader: 'x-amzn-requestid',
  errorBody: ({ message }) => ({ message }),
  errorHeaders: (error) => ({ 'x-amzn-errortype': exceptionOf(error) }),
  errorEvent: (error) => {
    const name = exceptionOf(error);
    return exceptionFrame(`${name.charAt(0).toLowerCase()}${name.slice(1)}`, error.message);
  },
} satisfies Partial<ApiModule>;

function exceptionOf({ status }: ProviderError): string {
  return EXCEPTIONS[status] ?? (status >= 500 ? 'InternalServerException' : 'ValidationException');
}
