/** Changes of layout lose nothing: what is said, in which messages, with which tools, stays; only its place or its marks change. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { breakpointsAdvised } from '../../cli/simulate/changes/breakpoints-advised.ts';
import type { Change } from '../../cli/simulate/changes/change.ts';
import { systemTexts } from '../../cli/simulate/changes/system-texts.ts';
import { toolsFirstSeen } from '../../cli/simulate/changes/tools-first-seen.ts';
import { toolsSorted } from '../../cli/simulate/changes/tools-sorted.ts';
import { ttlOneHour } from '../../cli/simulate/changes/ttl-1h.ts';
import { piecesOf, VolatilePieces } from '../../cli/simulate/changes/volatile-pieces.ts';
import { volatileTail } from '../../cli/simulate/changes/volatile-tail.ts';
import { rulesFor } from '../../src/cache/rules.ts';
import type { Api, JsonObject } from '../../src/exchange.ts';
import { fingerprintOf } from '../../src/fingerprint/fingerprint.ts';
import { loadHasher } from '../../src/fingerprint/hash.ts';
import type { Prompt } from '../../src/prompt/prompt.ts';
import { readPrompt } from '../../src/prompt/read.ts';
import { type Conversation, conversationArb, textArb, until } from '../engine/support/conversation.ts';
import { APIS, type Rendered, render } from '../engine/support/render.ts';

const hasher = await loadHasher();
const RUNS = { numRuns: 40 };

function promptOf({ api, model }: Rendered, body: JsonObject): Prompt {
  const reading = readPrompt({ api, model, body, scope: {} });
  if ('unreadable' in reading) throw new Error(reading.unreadable);
  return reading.prompt;
}

function apply(change: Change, rendered: Rendered, body = rendered.body): JsonObject {
  const before = JSON.stringify(body);
  const { api } = rendered;
  const { model } = promptOf(rendered, body);
  const rules = rulesFor({ api, model, endpoint: null, requestTtlMs: null, breakpoints: 1 });
  const changed = change.apply(body, { api, lineage: 'l1', rules });
  expect(JSON.stringify(body)).toBe(before);
  return changed;
}

/** Every character that a provider renders of a prompt's texts, in no order. */
function characters({ segments }: Prompt): string {
  const texts = segments.flatMap(({ leaves }) =>
    leaves.filter(({ slot }) => !/(^|\.)(role|type)$/.test(slot)).map(({ text }) => text),
  );
  return [...texts.join('')].sort().join('');
}

function messageCount({ segments, headLength }: Prompt): number {
  return segments.slice(headLength).filter(({ opensMessage }) => opensMessage).length;
}

function contents(prompt: Prompt): string[] {
  return [...fingerprintOf(prompt, hasher).content].map(String).sort();
}

function chain(prompt: Prompt): string[] {
  return [...fingerprintOf(prompt, hasher).chain].map(String);
}

/** A conversation whose newest message a user or a tool has said. */
const askedArb = conversationArb().map((conversation: Conversation) => {
  const end = conversation.messages.findLastIndex(({ role }) => role !== 'assistant');
  return until(conversation, end + 1);
});

/** Marks at the ends of tools and of the newest message, as far as the API lets them stand there. */
function marked(api: Api, body: JsonObject): JsonObject {
  return api === 'bedrock.converse' || api === 'anthropic.messages'
    ? apply(breakpointsAdvised(), { api, body } as Rendered)
    : body;
}

describe.each(APIS)('%s', (api) => {
  it.each([
    ['sorted by name', toolsSorted],
    ['in the order of first sight', toolsFirstSeen],
  ])('keeps every tool, all messages and the places of marks when tools come %s', (_, make) => {
    fc.assert(
      fc.property(askedArb, fc.nat(), (conversation, seed) => {
        const shuffled = [...conversation.tools].sort(
          (a, b) => ((a.name.charCodeAt(5) * (seed + 7)) % 13) - ((b.name.charCodeAt(5) * (seed + 7)) % 13),
        );
        const change = make();
        apply(change, render(api, conversation));
        const rendered = render(api, { ...conversation, tools: shuffled });
        const body = marked(api, rendered.body);
        const [before, after] = [promptOf(rendered, body), promptOf(rendered, apply(change, rendered, body))];
        expect(contents(after)).toEqual(contents(before));
        expect(chain(after).slice(after.headLength)).toEqual(chain(before).slice(before.headLength));
        const marks = ({ breakpoints }: Prompt) => breakpoints.map(({ segment, path }) => [segment, path]);
        expect(marks(after)).toEqual(marks(before));
        // Both orders of the same tools come out the same.
        const other = promptOf(rendered, apply(change, render(api, conversation)));
        expect(chain(after)).toEqual(chain(other));
      }),
      RUNS,
    );
  });

  it.each([
    ['where marks are advised', breakpointsAdvised],
    ['a lifetime of 1 h', ttlOneHour],
  ])('leaves the prompt itself as it is when marks get %s', (_, make) => {
    fc.assert(
      fc.property(askedArb, (conversation) => {
        const rendered = render(api, conversation);
        const after = promptOf(rendered, apply(make(), rendered, marked(api, rendered.body)));
        expect(chain(after)).toEqual(chain(promptOf(rendered, rendered.body)));
        expect(after.breakpoints.length).toBeLessThanOrEqual(4);
      }),
      RUNS,
    );
  });

  it('keeps every character and every message when the changing part goes to the tail', () => {
    fc.assert(
      fc.property(askedArb, textArb, textArb, (conversation, one, other) => {
        const rules = 'Be brief. Name your sources.\n';
        const first = render(api, { ...conversation, system: [`${rules}${one}\n`, ...conversation.system] });
        const second = render(api, {
          ...conversation,
          system: [`${rules}${other}\n`, ...conversation.system],
        });
        const pieces = new VolatilePieces();
        for (const { body } of [first, second]) pieces.add('l1', systemTexts(api, body));
        const changed = [first, second].map((rendered) => {
          const [before, after] = [
            promptOf(rendered, rendered.body),
            promptOf(rendered, apply(volatileTail(pieces), rendered)),
          ];
          expect(characters(after)).toBe(characters(before));
          const added = messageCount(after) - messageCount(before);
          expect(added).toBeGreaterThanOrEqual(0);
          expect(added).toBeLessThanOrEqual(api.startsWith('openai') ? 1 : 0);
          // The recorded messages stand as they did; what moved is behind them.
          const messages = chain(before).slice(before.headLength);
          expect(chain(after).slice(after.headLength).slice(0, messages.length)).toEqual(messages);
          return after;
        });
        const [head, otherHead] = changed.map((prompt) => chain(prompt).slice(0, prompt.headLength));
        expect(head).toEqual(otherHead);
      }),
      RUNS,
    );
  });
});

it('cuts a text into pieces that are the text when put together', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(piecesOf(text).join('')).toBe(text);
    }),
  );
});
