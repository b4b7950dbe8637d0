/**
 * A recording `fetch` for all that takes one: the AI SDK's providers, SDKs of other vendors, one's own code.
 */

import { isDisabled } from '../switches.ts';
import type { Fetch } from './fetch-request.ts';
import type { Recorder } from './recorder.ts';
import { isRecording, recordingFetch } from './recording-fetch.ts';

export function observeFetchWith(fetch: Fetch, currentRecorder: () => Recorder): Fetch {
  if (typeof fetch !== 'function') {
    throw new TypeError(
      `observeFetch: expected a fetch function, got ${fetch === null ? 'null' : typeof fetch}`,
    );
  }
  if (isDisabled() || isRecording(fetch)) return fetch;
  return recordingFetch(fetch, { scope: {} }, currentRecorder);
}
