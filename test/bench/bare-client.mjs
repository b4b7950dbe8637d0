// The bare client beside the subject's, in one process. Some subjects patch the classes of the package, so the bare client is of
// a copy of its own: loaded first, then forgotten, so that whoever asks for the package next gets another.
import { createRequire } from 'node:module';
import { sep } from 'node:path';
import { CLIENT_PACKAGE } from './subjects.mjs';

const require = createRequire(import.meta.url);

/** Call it before the subject is set up. */
export function loadBareClient() {
  const { OpenAI } = require(CLIENT_PACKAGE);
  const folder = `${sep}${CLIENT_PACKAGE}${sep}`;
  for (const file of Object.keys(require.cache)) if (file.includes(folder)) delete require.cache[file];
  return OpenAI;
}
