/**
 * `node --import prefixtrace/register app.js`: observes a program without a line of code in it, by recording what the global
 * `fetch` sends to model APIs. Calls are exported where the standard `OTEL_*` variables name an exporter, unless the
 * program sets up OpenTelemetry by itself; else they go to the local store.
 *
 * Nothing else is patched: no loader hooks, no modules. A client that is observed by itself as well is recorded once, and a
 * client that brings its own transport (openai 4, the AWS SDK) has to be observed by itself.
 */
import { observeFetch } from './runtime.ts';
import { startBeforeApplication } from './setup/start-prefixtrace.ts';

startBeforeApplication();
globalThis.fetch = observeFetch(globalThis.fetch);
