/**
 * `node --import prefixtrace/register app.js`: observes a program without a line of code in it, by recording what the global
 * `fetch` sends to model APIs.
 *
 * Nothing else is patched: no loader hooks, no modules. A client that is observed by itself as well is recorded once, and a
 * client that brings its own transport (openai 4, the AWS SDK) has to be observed by itself.
 */
import { observeFetch } from './runtime.ts';

globalThis.fetch = observeFetch(globalThis.fetch);
