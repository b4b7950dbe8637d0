/**
 * The baseline is the best partner, not the last call (design §3). Among the live heads of the scope: the one whose
 * messages this prompt continues for longest; else the one whose messages it overlaps (a slid window, a compaction, an
 * edited opening are divergences, not new conversations). Only when nothing fits is it a new lineage, and then its head
 * is held against the nearest sibling, since calls that could share a prefix and do not are the costliest bug of all.
 */
import {
  type Fingerprint,
  isSameHead,
  messageCount,
  sharedHead,
  sharedMessages,
} from '../fingerprint/fingerprint.ts';
import { type Prompt, type Segment, textOf } from '../prompt/prompt.ts';
import type { Head } from './head.ts';
import { headLikeness, MessageLookup, messageOverlap, textLikeness } from './similarity.ts';
import { opensWithSummary } from './summary.ts';

/**
 * `continues`: the next call of the lineage, whatever changed on the way. `branches`: the same conversation up to this
 * call's own last message (a rewind, a fork, another question on the same prefix). `side_call`: the same history under
 * another head (a title, a summary): it never becomes the head of the main line. `sibling`: another conversation.
 */
type Relation = 'continues' | 'branches' | 'side_call' | 'sibling';

export interface Baseline {
  readonly head: Head;
  readonly relation: Relation;
}

export interface Candidate {
  readonly prompt: Prompt;
  readonly fingerprint: Fingerprint;
  /** Declared or suggested thread, where there is one. */
  readonly thread: string | undefined;
}

interface Matched extends Candidate {
  readonly lookup: MessageLookup;
  /** The text of its first message, made for the first head that asks: it is held against many. */
  opening?: string;
}

/** `siblings` is asked for only where no head of the scope fits. */
export function chooseBaseline(
  candidate: Candidate,
  heads: readonly Head[],
  siblings: () => readonly Head[],
): Baseline | null {
  const call: Matched = { ...candidate, lookup: new MessageLookup(candidate.fingerprint) };
  const newestFirst = [...heads].reverse();
  // Scattered messages are dear to find, and a head that has nothing else in common ranks behind one that has.
  const near = bestMatch(
    call,
    newestFirst.filter(
      (head) => head.wasSummarised || sharedMessages(head.fingerprint, call.fingerprint) > 0,
    ),
  );
  const best = near && near.tier > 1 ? near : bestMatch(call, newestFirst);
  if (best) return { head: best.head, relation: best.relation };
  const others = siblings().filter((head) => !heads.includes(head));
  return nearestSibling(call, newestFirst.concat(others));
}

/** The first of equals. */
function bestMatch(call: Matched, heads: readonly Head[]): Match | undefined {
  const ranked = heads.map((head) => match(call, head)).filter((found) => found !== null);
  return ranked.sort(byFit)[0];
}

interface Match {
  readonly head: Head;
  readonly relation: Relation;
  /** 3: all of the head's messages are continued; 2: some; 1: only scattered ones or none. */
  readonly tier: number;
  readonly shared: number;
  readonly isSameHead: boolean;
  readonly isSameThread: boolean;
  readonly isSameModel: boolean;
}

function byFit(a: Match, b: Match): number {
  return (
    b.tier - a.tier ||
    b.shared - a.shared ||
    Number(b.isSameHead) - Number(a.isSameHead) ||
    Number(b.isSameThread) - Number(a.isSameThread) ||
    Number(b.isSameModel) - Number(a.isSameModel) ||
    Number(a.relation === 'side_call') - Number(b.relation === 'side_call')
  );
}

function match(call: Matched, head: Head): Match | null {
  const { fingerprint } = call;
  const shared = sharedMessages(head.fingerprint, fingerprint);
  const before = messageCount(head.fingerprint);
  const now = messageCount(fingerprint);
  const sameHead = isSameHead(head.fingerprint, fingerprint);
  const isSameThread = call.thread !== undefined && call.thread === head.thread;
  const found = (relation: Relation, tier: number): Match => ({
    head,
    relation,
    tier,
    shared,
    isSameHead: sameHead,
    isSameThread,
    isSameModel: head.facts.model === call.prompt.model,
  });
  if (before === 0 || now === 0) return sameHead ? found('continues', 1) : null;
  // A side call has just read this whole history; what follows under the old head, and short, is its summary.
  if (head.wasSummarised && sameHead && now <= before / 2 && shared < now) return found('continues', 2);
  if (shared === before) return matchWhole(call, head, now > before, found);
  if (shared > 0) return matchPart(call, head, shared, found);
  return matchScattered(call, head, found);
}

type Found = (relation: Relation, tier: number) => Match;

/** All of the head's messages come again, in order. */
function matchWhole(call: Candidate, head: Head, hasGrown: boolean, found: Found): Match | null {
  const { system, tools, model } = headLikeness(head, call.prompt, call.fingerprint);
  if (system !== 'different') return found('continues', 3);
  // The same question under another head: two phases of one program, not one conversation that changed its prompt.
  if (!hasGrown) return null;
  if (tools !== 'different' && model !== 'different') return found('continues', 3);
  return hasPast(head.prompt) ? found('side_call', 3) : null;
}

/** The prompts part inside the head's messages. */
function matchPart(call: Matched, head: Head, shared: number, found: Found): Match | null {
  const { prompt, fingerprint } = call;
  if (shared === messageCount(fingerprint)) return found('branches', 2);
  const parting = prompt.segments[prompt.headLength + shared] as Segment;
  const last = prompt.segments.at(-1) as Segment;
  const old = head.prompt?.segments[head.fingerprint.headLength + shared];
  const isOwnLastMessage = parting.messageIndex === last.messageIndex && parting.role === last.role;
  const answersSameCall =
    parting.kind === 'tool_result' && old?.kind === 'tool_result' && old.callId === parting.callId;
  const isOtherQuestion = isOwnLastMessage && isAsked(parting) && !answersSameCall;
  if (isOtherQuestion && !isRewrapped(old, parting, last)) return found('branches', 2);
  const isKnownAnswer = stands(head, fingerprint.content[prompt.headLength + shared] as bigint);
  if (isOtherAnswer(old, parting) && !isKnownAnswer) return found('branches', 2);
  if (parting.opensMessage !== true) return matchScattered(call, head, found);
  return isForeignHead(call, head) ? found('side_call', 2) : found('continues', 2);
}

function isAsked(segment: Segment): boolean {
  return segment.role === 'user' || segment.role === 'tool' || segment.kind === 'tool_result';
}

/** The same message with another border: an edit of history, not another question. */
function isRewrapped(old: Segment | undefined, parting: Segment, last: Segment): boolean {
  return old?.opensMessage !== parting.opensMessage && parting === last;
}

/** The model was asked again and said something else: its signature or its calls are new, not rewritten. */
function isOtherAnswer(old: Segment | undefined, parting: Segment): boolean {
  if (!old || old.kind !== parting.kind || old.role !== parting.role) return false;
  if (old.kind === 'thinking') {
    const [before, now] = [signatureOf(old), signatureOf(parting)];
    return before !== '' && now !== '' && before !== now;
  }
  const isOtherCall =
    old.callId !== undefined && parting.callId !== undefined && old.callId !== parting.callId;
  return old.kind === 'tool_use' && isOtherCall && textOf(old) !== textOf(parting);
}

/** The same content is in the head, only elsewhere: it moved up because something before it went. */
function stands({ fingerprint }: Head, content: bigint): boolean {
  return fingerprint.content.includes(content, fingerprint.headLength);
}

function signatureOf(segment: Segment): string {
  return segment.leaves.find(({ slot }) => /(^|\.)(signature|encrypted_content)$/.test(slot))?.text ?? '';
}

function isForeignHead(call: Candidate, head: Head): boolean {
  const { system, tools, model } = headLikeness(head, call.prompt, call.fingerprint);
  return system === 'different' && (tools === 'different' || model === 'different');
}

const NO_OVERLAP = { share: 0, segments: 0, longest: 0 };

/** Overlaps shorter than this are said by chance: `ok`, `Next`. */
const TELLING_CHARACTERS = 12;

/** No common start: do the messages occur all the same, or were they replaced by a summary? */
function matchScattered(call: Matched, head: Head, found: Found): Match | null {
  const { prompt, fingerprint } = call;
  const overlap = call.lookup.mayOccurIn(head.fingerprint)
    ? messageOverlap(head.fingerprint, fingerprint)
    : NO_OVERLAP;
  const { system } = headLikeness(head, prompt, fingerprint);
  // Sub-agents open with the same reminder as their parent: under another system only what was answered tells.
  if (system === 'different' && !sharesAnswer(head, call)) return null;
  if (overlap.segments >= 2 && overlap.share >= 0.1) {
    return found(isForeignHead(call, head) ? 'side_call' : 'continues', 1);
  }
  if (isForeignHead(call, head) || !hasPast(prompt)) {
    return isShorter(call, head) && opensWithSummary(prompt) ? found('continues', 1) : null;
  }
  // What has a past continues something. One kept message, a similar opening or a summary says that it is this.
  const isTelling = overlap.segments > 0 && (overlap.share >= 0.3 || overlap.longest >= TELLING_CHARACTERS);
  const isContinued =
    isTelling || hasSimilarOpening(call, head) || (isShorter(call, head) && opensWithSummary(prompt));
  return isContinued ? found('continues', 1) : null;
}

function isShorter(call: Candidate, head: Head): boolean {
  const [now, before] = [messageCount(call.fingerprint), messageCount(head.fingerprint)];
  return now < before && before > 2;
}

/** An answer, a result or a summary stands in it: this is not the first call of a conversation. */
function hasPast(prompt: Prompt | null): boolean {
  const { segments, headLength } = prompt ?? { segments: [], headLength: 0 };
  return segments.some(
    ({ role, kind }, index) =>
      index >= headLength &&
      (role === 'assistant' || role === 'model' || role === 'compaction' || kind === 'tool_result'),
  );
}

function sharesAnswer(head: Head, { prompt, fingerprint }: Candidate): boolean {
  const before = new Set(head.fingerprint.content.subarray(head.fingerprint.headLength));
  return prompt.segments.some(
    ({ role }, index) =>
      index >= prompt.headLength &&
      (role === 'assistant' || role === 'model') &&
      before.has(fingerprint.content[index] as bigint),
  );
}

/** The first message of both, as one text: alike, or one inside the other. */
function hasSimilarOpening(call: Matched, head: Head): boolean {
  if (!head.prompt) return false;
  call.opening ??= openingOf(call.prompt);
  const [before, after] = [openingOf(head.prompt), call.opening];
  if (before === '' || after === '') return false;
  const isInside =
    Math.min(before.length, after.length) >= TELLING_CHARACTERS &&
    (before.includes(after) || after.includes(before));
  return isInside || textLikeness(before, after) >= 0.4;
}

function openingOf(prompt: Prompt): string {
  const { segments, headLength } = prompt;
  const first = segments[headLength];
  let text = '';
  for (let index = headLength; index < segments.length; index += 1) {
    const segment = segments[index] as Segment;
    if (segment.messageIndex !== first?.messageIndex || segment.role !== first?.role) break;
    text += textOf(segment);
  }
  return text.replace(/\s+/g, '');
}

/** The head that shares most of this one's head, newest first. */
function nearestSibling(call: Candidate, heads: readonly Head[]): Baseline | null {
  let best: { head: Head; shared: number } | undefined;
  for (const head of heads) {
    if (head.facts.model !== call.prompt.model || isForeignHead(call, head)) continue;
    const shared =
      sharedHead(head.fingerprint, call.fingerprint) + sharedMessages(head.fingerprint, call.fingerprint);
    if (shared > (best?.shared ?? 0)) best = { head, shared };
  }
  return best ? { head: best.head, relation: 'sibling' } : null;
}
