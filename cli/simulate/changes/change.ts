/** A change of layout or setting: recorded bodies in, bodies of another form out. Bodies are data and are never altered in place. */
import type { CacheRules } from '../../../src/cache/rules.ts';
import type { Api, JsonObject } from '../../../src/exchange.ts';

export type ChangeName =
  | 'tools-sorted'
  | 'tools-first-seen'
  | 'breakpoints-advised'
  | 'volatile-tail'
  | 'ttl-1h';

export interface ChangedCall {
  readonly api: Api;
  readonly lineage: string;
  /** The rules that the recorded request falls under. */
  readonly rules: CacheRules;
}

export interface Change {
  readonly name: ChangeName;
  /** For a person. */
  readonly title: string;
  /** Why calls under these rules cannot be changed in this way; `null`: they can. */
  obstacle(call: ChangedCall): string | null;
  /** What is said where no body came out changed. */
  readonly nothingToDo: string;
  /** The same object where there is nothing to change. Calls come in recorded order: a change may remember. */
  apply(body: JsonObject, call: ChangedCall): JsonObject;
}
