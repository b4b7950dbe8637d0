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
import { headLikeness, messageOverlap, textLikeness } from './similarity.ts';
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

export function chooseBaseline(
  call: Candidate,
  heads: readonly Head[],
  siblings: readonly Head[],
): Baseline | null {
  const ranked = heads.map((head) => match(call, head)).filter((found) => found !== null);
  ranked.sort(byFit);
  const best = ranked[0];
  if (best) return { head: best.head, relation: best.relation };
  return nearestSibling(call, [...heads].reverse().concat(siblings.filter((head) => !heads.includes(head))));
}

interface Match {
  readonly head: Head;
  readonly relation: Relation;
  /** 3: all of the head's messages are continued; 2: some; 1: only scattered ones or none. */
  readonly tier: number;
  readonly shared: number;
  readonly isSameHead: boolean;
  readonly isSameThread: boolean;
}

function byFit(a: Match, b: Match): number {
  return (
    b.tier - a.tier ||
    b.shared - a.shared ||
    Number(b.isSameHead) - Number(a.isSameHead) ||
    Number(b.isSameThread) - Number(a.isSameThread) ||
    Number(a.relation === 'side_call') - Number(b.relation === 'side_call') ||
    b.head.index - a.head.index
  );
}

function match(call: Candidate, head: Head): Match | null {
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
  return hasAnswer(head.prompt) ? found('side_call', 3) : null;
}

/** The prompts part inside the head's messages. */
function matchPart(call: Candidate, head: Head, shared: number, found: Found): Match | null {
  const { prompt, fingerprint } = call;
  if (shared === messageCount(fingerprint)) return found('branches', 2);
  const parting = prompt.segments[prompt.headLength + shared] as Segment;
  const last = prompt.segments.at(-1) as Segment;
  const old = head.prompt?.segments[head.fingerprint.headLength + shared];
  const isOwnLastMessage = parting.messageIndex === last.messageIndex && parting.role === last.role;
  const answersSameCall =
    parting.kind === 'tool_result' && old?.kind === 'tool_result' && old.callId === parting.callId;
  if (isOwnLastMessage && isAsked(parting) && !answersSameCall && !isRewritten(old, parting, last))
    return found('branches', 2);
  const sharesWholeMessage = parting.opensMessage === true;
  if (sharesWholeMessage) return isForeignHead(call, head) ? found('side_call', 2) : found('continues', 2);
  return matchScattered(call, head, found) ?? null;
}

function isAsked(segment: Segment): boolean {
  return segment.role === 'user' || segment.role === 'tool' || segment.kind === 'tool_result';
}

/** The same message, longer or with another wrapping: an edit of history, not another question. */
function isRewritten(old: Segment | undefined, parting: Segment, last: Segment): boolean {
  return old?.opensMessage !== parting.opensMessage && parting === last;
}

function isForeignHead(call: Candidate, head: Head): boolean {
  const likeness = headLikeness(head, call.prompt, call.fingerprint);
  return (
    likeness.system === 'different' && (likeness.tools === 'different' || likeness.model === 'different')
  );
}

/** No common start: do the messages occur all the same, or were they replaced by a summary? */
function matchScattered(call: Candidate, head: Head, found: Found): Match | null {
  const { share, segments } = messageOverlap(head.fingerprint, call.fingerprint);
  const isForeign = isForeignHead(call, head);
  if (segments >= 2 && share >= 0.1) return found(isForeign ? 'side_call' : 'continues', 1);
  if (isForeign) return null;
  if (share >= 0.3 && messageCount(call.fingerprint) > 1) return found('continues', 1);
  const isShorter = messageCount(call.fingerprint) < messageCount(head.fingerprint);
  if (isShorter && messageCount(head.fingerprint) > 2 && opensWithSummary(call.prompt))
    return found('continues', 1);
  if (hasAnswer(call.prompt) && hasSimilarOpening(call.prompt, head)) return found('continues', 1);
  return null;
}

function hasAnswer(prompt: Prompt | null): boolean {
  const messages = prompt?.segments.slice(prompt.headLength) ?? [];
  return messages.some(({ role }) => role === 'assistant' || role === 'model');
}

function hasSimilarOpening(prompt: Prompt, head: Head): boolean {
  const before = head.prompt?.segments[head.fingerprint.headLength];
  const after = prompt.segments[prompt.headLength];
  if (!before || !after || before.kind !== after.kind) return false;
  return textLikeness(textOf(before), textOf(after)) >= 0.6;
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
