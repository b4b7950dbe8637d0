export { readPrompt } from './src/prompt/read.ts';
export { fingerprintOf } from './src/fingerprint/fingerprint.ts';
export { loadHasher } from './src/fingerprint/hash.ts';
export { createEngine } from './src/diagnose.ts';
export { listSpan, elementEnds } from './src/prompt/json-text.ts';
export { commonStart } from './src/prompt/common-start.ts';
