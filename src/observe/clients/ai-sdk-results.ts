/**
 * Observes a model of the AI SDK whose transport is out of reach: as a middleware would, by what `doGenerate` and
 * `doStream` return.
 *
 * Coarser than a transport: a failed attempt is seen where its error names the body, and an answer out of a cache in the
 * model looks like one that was sent for.
 */
import { guard } from '../../guard.ts';
import { noteRecording, type RecordingNote, runWithNote } from '../recording-note.ts';
import { beginCall, type ResultCall } from './ai-sdk-call.ts';
import type { LanguageModel } from './ai-sdk-model.ts';
import type { HookContext } from './client-hook.ts';

/** What a model says of itself. Asked of the model and not of the copy, as a getter may read private members. */
const FACTS = ['specificationVersion', 'provider', 'modelId', 'supportedUrls'] as const;

export function observedByResults(model: LanguageModel, context: HookContext): LanguageModel {
  if (observedModels.has(model) && Object.keys(context.scope).length === 0) return model;
  const properties: PropertyDescriptorMap = {
    doGenerate: method((options) =>
      followed(
        () => model.doGenerate(options),
        () => beginCall(model, options, context),
        (call, result) => {
          call.generated(result);
          return result;
        },
      ),
    ),
    doStream: method((options) =>
      followed(
        () => model.doStream(options),
        () => beginCall(model, options, context),
        (call, result) => call.streamed(result),
      ),
    ),
  };
  for (const name of FACTS) {
    properties[name] = { get: () => Reflect.get(model, name), enumerable: true, configurable: true };
  }
  const copy = Object.create(model, properties) as LanguageModel;
  observedModels.add(copy);
  return copy;
}

const observedModels = new WeakSet<object>();

function method(value: LanguageModel['doGenerate']): PropertyDescriptor {
  return { value, writable: true, enumerable: true, configurable: true };
}

/** `onResult` gives what the caller gets: the result, or a copy whose stream is observed. */
function followed(
  dispatch: () => PromiseLike<unknown>,
  begin: () => ResultCall | undefined,
  onResult: (call: ResultCall, result: object) => unknown,
): PromiseLike<unknown> {
  const note: RecordingNote = { isRecorded: false };
  const pending = runWithNote(note, dispatch);
  const call = guard('a call of a model could not be followed', begin);
  if (call === undefined) return pending;
  /** A transport below has the bytes and the attempts: what it recorded is not recorded again. */
  const isRecordedBelow = (): boolean => {
    if (note.isRecorded) noteRecording();
    return note.isRecorded;
  };
  return Promise.resolve(pending).then(
    (result) => {
      if (isRecordedBelow() || typeof result !== 'object' || result === null) return result;
      return guard('a result of a model could not be read', () => onResult(call, result)) ?? result;
    },
    (error: unknown) => {
      if (!isRecordedBelow()) guard('a failure of a model could not be read', () => call.failed(error));
      throw error;
    },
  );
}
