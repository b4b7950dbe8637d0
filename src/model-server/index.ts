/**
 * A built-in model server: the APIs listed in `routes.ts` on loopback, with the prompt cache and the usage figures that
 * the providers document. It needs no key and no network.
 *
 * It judges by a plain comparison of rendered text and imports nothing from the rest of the package.
 */

export type { ModelServer, ModelServerOptions } from './server.ts';
export { startModelServer } from './server.ts';
export type {
  CacheFigures,
  Ending,
  Fault,
  JsonObject,
  JsonValue,
  ModelApi,
  ModelRequest,
  RecordedRequest,
  Reply,
  ToolCall,
} from './types.ts';
