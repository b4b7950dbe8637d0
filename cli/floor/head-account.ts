/**
 * Calls in, heads out. Calls that send the same head, or one that is mostly the same, are one: an agent whose system
 * prompt tells the time has one head that changes, not hundreds. Of each only the last form is held.
 */
import type { Diagnosis, Evidence, TokenMethod } from '../../src/diagnosis.ts';
import type { Exchange, JsonObject } from '../../src/exchange.ts';
import type { Hasher } from '../../src/fingerprint/hash.ts';
import { commonStart } from '../../src/prompt/common-start.ts';
import type { Prompt } from '../../src/prompt/prompt.ts';
import { readPrompt } from '../../src/prompt/read.ts';
import type { Reading } from '../../src/prompt/reading.ts';
import type { DiagnosedExchange } from '../sources/diagnose-logs.ts';
import { type HeadPart, headKey, headParts } from './head-part.ts';
import { addedMessages, type MessageTokens, NO_MESSAGES, splitMessages } from './message-weights.ts';

/** Figures and texts of one head; those of its last call where they may differ from call to call. */
export interface SeenHead {
  readonly api: Diagnosis['api'];
  model: string | null;
  readonly phase: string | null;
  parts: readonly HeadPart[];
  /** Tokens of all parts. */
  tokens: number;
  /** Input of the whole last call. */
  input: number;
  method: TokenMethod;
  at: string | null;
  source: string | null;
  calls: number;
  lineages: number;
  /** Times that the head of a conversation changed on its way. */
  changes: number;
  /** Distinct heads that were counted as this one. */
  readonly forms: Set<bigint>;
  readonly toolsCalled: Set<string>;
  /** A part of the history lies with the provider: what was called in it is not known. */
  hidesHistory: boolean;
  /** Sum over all calls, and of the last one. */
  messages: MessageTokens;
  lastMessages: MessageTokens;
}

interface LineageHead {
  readonly head: SeenHead;
  readonly form: bigint;
  /** Settings count towards the engine's head and are no parts of the floor. */
  readonly shareOfHead: number;
}

export class HeadAccount {
  /** By what must be equal; heads of one key differ in their system prompts. */
  readonly #byKey = new Map<string, SeenHead[]>();
  readonly #byLineage = new Map<string, LineageHead>();
  readonly #hasher: Hasher;
  /** Most calls go on from the one before them, and then only what is new is read. */
  #last: Reading | null = null;

  constructor(hasher: Hasher) {
    this.#hasher = hasher;
  }

  add({ exchange, call: { diagnosis, evidence } }: DiagnosedExchange): void {
    const reading = readPrompt(exchange, this.#last);
    if ('unreadable' in reading) return;
    this.#last = reading;
    const { prompt } = reading;
    const head = this.#headOf(exchange, prompt, diagnosis, evidence);
    if (head === undefined) return;
    const messageTokens = layoutTokens(evidence, ['messages']);
    head.lastMessages = splitMessages(prompt, messageTokens);
    head.messages = addedMessages(head.messages, head.lastMessages);
    head.calls += 1;
    head.model = diagnosis.model;
    head.input = diagnosis.tokens.input;
    head.method = diagnosis.tokens.method;
    head.at = diagnosis.at;
    head.source = diagnosis.source;
    head.hidesHistory ||= prompt.missingHistory !== null && prompt.missingHistory.reason !== 'cached_content';
    for (const { kind, name } of prompt.segments) if (kind === 'tool_use' && name) head.toolsCalled.add(name);
  }

  /** Those that cost most in all first. */
  heads(): SeenHead[] {
    return [...this.#byKey.values()].flat().sort((a, b) => b.tokens * b.calls - a.tokens * a.calls);
  }

  #headOf(
    exchange: Exchange,
    prompt: Prompt,
    diagnosis: Diagnosis,
    evidence: Evidence,
  ): SeenHead | undefined {
    const headTokens = layoutTokens(evidence, ['tools', 'system', 'parameters']);
    const known = this.#byLineage.get(diagnosis.lineage);
    if (evidence.floor === null) {
      if (known) known.head.tokens = headTokens * known.shareOfHead;
      return known?.head;
    }
    const parts = headParts(prompt, bodyOf(exchange));
    const head = known?.head ?? this.#similar(parts, diagnosis) ?? this.#newHead(parts, diagnosis);
    const floorTokens = evidence.floor.reduce((sum, part) => sum + part.tokens, 0);
    head.parts = parts;
    head.tokens = floorTokens;
    const form = this.#hasher.text(headKey(parts));
    head.forms.add(form);
    if (known === undefined) head.lineages += 1;
    else if (known.form !== form) head.changes += 1;
    const shareOfHead = headTokens === 0 ? 0 : floorTokens / headTokens;
    this.#byLineage.set(diagnosis.lineage, { head, form, shareOfHead });
    return head;
  }

  #similar(parts: readonly HeadPart[], diagnosis: Diagnosis): SeenHead | undefined {
    return this.#byKey.get(keyOf(parts, diagnosis))?.find((head) => isSimilar(head.parts, parts));
  }

  #newHead(parts: readonly HeadPart[], diagnosis: Diagnosis): SeenHead {
    const head: SeenHead = {
      api: diagnosis.api,
      model: diagnosis.model,
      phase: diagnosis.scope.phase,
      parts,
      tokens: 0,
      input: 0,
      method: diagnosis.tokens.method,
      at: null,
      source: null,
      calls: 0,
      lineages: 0,
      changes: 0,
      forms: new Set(),
      toolsCalled: new Set(),
      hidesHistory: false,
      messages: NO_MESSAGES,
      lastMessages: NO_MESSAGES,
    };
    const key = keyOf(parts, diagnosis);
    this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), head]);
    return head;
  }
}

function keyOf(parts: readonly HeadPart[], { api, model, scope }: Diagnosis): string {
  const labels = parts.map(({ component, label }) => `${component} ${label}`).sort();
  return JSON.stringify([api, model, scope.phase, labels]);
}

/** At least half of the system prompt stands in both, at its start or its end. */
function isSimilar(left: readonly HeadPart[], right: readonly HeadPart[]): boolean {
  const [a, b] = [systemText(left), systemText(right)];
  if (a === b) return true;
  const start = commonStart(a, b);
  const reversed = (text: string) => [...text.slice(start)].reverse().join('');
  const end = commonStart(reversed(a), reversed(b));
  return start + end >= Math.max(a.length, b.length) / 2;
}

function systemText(parts: readonly HeadPart[]): string {
  return parts.map(({ component, text }) => (component === 'system' ? text : '')).join('\n');
}

function layoutTokens({ layout }: Evidence, components: readonly string[]): number {
  return layout.reduce((sum, run) => sum + (components.includes(run.component) ? run.tokens : 0), 0);
}

function bodyOf({ body }: Exchange): JsonObject {
  return typeof body === 'string' ? (JSON.parse(body) as JsonObject) : body; // it was read as an object before
}
