/**
 * The line of the application that made a call: the nearest frame outside `node_modules` and outside this package.
 *
 * Seen from the transport, where the awaiting functions are in the stack only as far as the client awaits all the way
 * (openai, groq, the AI SDK); @anthropic-ai/sdk 1.x puts a `.catch` between, behind which V8 sees nothing, and the call has
 * no site then. The stack is taken where the call is opened and turned into text later: the text is most of the cost.
 */
import type { Attributes } from '@opentelemetry/api';
import { guard } from '../guard.ts';
import * as semconv from './semconv.ts';

/** Asked for once, at the end of the call; `undefined` where the stack does not reach the application. */
export type CallSite = () => Attributes | undefined;

/** The AI SDK alone has about twenty frames of its own. */
const MAX_FRAMES = 64;
/** The build puts all files into one directory, the sources are in rooms. */
const OWN_DIRECTORY = new URL(import.meta.url.endsWith('.ts') ? '..' : '.', import.meta.url).pathname;
const FRAME = /^\s*at (?:async )?(?:(.+?) \()?(?:file:\/\/)?(.+?):(\d+):\d+\)?$/;

export function takeCallSite(): CallSite {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = MAX_FRAMES;
  const holder: { stack?: string } = {};
  Error.captureStackTrace(holder, takeCallSite);
  Error.stackTraceLimit = stackTraceLimit;
  return () => guard('a call site could not be read', () => callSiteIn(holder.stack ?? ''));
}

export function callSiteIn(stack: string, ownDirectory = OWN_DIRECTORY): Attributes | undefined {
  for (const line of stack.split('\n')) {
    const [, functionName, filePath, lineNumber] = FRAME.exec(line) ?? [];
    if (filePath === undefined || filePath.startsWith('node:') || filePath === '<anonymous>') continue;
    if (filePath.includes('/node_modules/') || filePath.includes('\\node_modules\\')) continue;
    if (filePath.startsWith(ownDirectory) || filePath.startsWith(decodeURI(ownDirectory))) continue;
    return {
      [semconv.ATTR_CODE_FILE_PATH]: filePath,
      [semconv.ATTR_CODE_LINE_NUMBER]: Number(lineNumber),
      ...(functionName !== undefined && { [semconv.ATTR_CODE_FUNCTION_NAME]: functionName }),
    };
  }
  return undefined;
}
