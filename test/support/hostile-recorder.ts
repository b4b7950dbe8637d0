/** A recorder whose engine and sink throw at every step: nothing of it may show. */
import { createRecorder, type Recorder } from '../../src/observe/recorder.ts';

export function hostileRecorder(): Recorder {
  const fail = (): never => {
    throw new Error('not the business of the host');
  };
  let starts = 0;
  return createRecorder({
    engine: { start: () => (starts++ % 2 === 0 ? fail() : { finish: fail, abandon: fail }) },
    sink: {
      open: () => (starts % 3 === 0 ? fail() : { end: fail }),
      flush: () => Promise.reject(new Error('not the business of the host')),
      shutdown: () => Promise.reject(new Error('not the business of the host')),
    },
  });
}
