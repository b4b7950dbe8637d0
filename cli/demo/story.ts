/**
 * What happens in the demo, in order. Each bug is one that real agents have; the stretches in between are clean, so that
 * a false alarm would show.
 */
import { expectRebuild, withScope } from '../../src/index.ts';
import { AnthropicAgent } from './anthropic-agent.ts';
import {
  BUDGET_INSTRUCTIONS,
  PLANNER_INSTRUCTIONS,
  RESEARCHER_RULES,
  researcherInstructions,
  TITLE_INSTRUCTIONS,
} from './instructions.ts';
import { ResponsesAgent } from './responses-agent.ts';
import { inAnotherOrder, PLANNER_TOOLS, RESEARCHER_TOOLS, SEATING_TOOL } from './tools.ts';
import type { World } from './world.ts';

const THREAD = 'wedding-42';
const MODEL = 'claude-sonnet-5';
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

export async function tellStory(world: World, fetch: typeof globalThis.fetch): Promise<void> {
  const { url } = world;
  let hasSeatingTool = false;
  const planner = new AnthropicAgent({
    url,
    fetch,
    model: MODEL,
    instructions: () => PLANNER_INSTRUCTIONS,
    tools: () => (hasSeatingTool ? [SEATING_TOOL, ...PLANNER_TOOLS] : PLANNER_TOOLS),
    entriesPerSearch: 20,
  });
  const plan = async (question: string) => {
    world.pass(20 * SECOND_MS);
    await withScope({ thread: THREAD, phase: 'planner' }, () => planner.ask(question));
  };

  await plan(
    'We want to marry in June, on the lake, with about 110 guests and 32,000 euros. Where do we begin?',
  );
  await nameConversation(world, fetch);
  await plan('A barn or a boathouse would be lovely. My grandmother uses a wheelchair.');
  await research(world, fetch);
  await plan('The second one sounds right. What would be the plan if it rains?');
  await keepBudget(world, fetch);

  hasSeatingTool = true;
  await plan('Aunt Rosa must not sit near Uncle Karl. Can you draw tables?');
  await plan('Ten tables of eleven, please, and the band away from the old people.');

  // A long phone call: longer than the five minutes for which the cache keeps an entry.
  world.pass(31 * MINUTE_MS);
  await plan('Sorry, that took a while. They give us the boathouse on the 12th. What is next?');

  await withScope({ thread: THREAD, phase: 'planner' }, async () => {
    planner.compact(
      'Summary so far: boathouse on 12 June, 110 guests, 32,000 euros, ten tables, rain plan is the glass hall, Aunt Rosa far from Uncle Karl, a wheelchair ramp at the side door.',
    );
    expectRebuild('compaction');
    world.pass(10 * SECOND_MS);
    await planner.ask('Then let us write to the kitchen.');
  });
  await plan('And a band that knows old songs.');
}

/** A side call on a small model, inside the conversation and no part of it. */
async function nameConversation({ url }: World, fetch: typeof globalThis.fetch): Promise<void> {
  const agent = new AnthropicAgent({
    url,
    fetch,
    model: 'claude-haiku-4-5',
    instructions: () => TITLE_INSTRUCTIONS,
    tools: () => [],
    entriesPerSearch: 0,
  });
  await withScope({ thread: THREAD, phase: 'summariser' }, () =>
    agent.ask('Wedding in June on the lake, 110 guests, 32,000 euros.'),
  );
}

/** Three sub-agents of one phase: two with a clock in front, one whose tools come in another order each time. */
async function research(world: World, fetch: typeof globalThis.fetch): Promise<void> {
  const { url } = world;
  const questions = [
    'Which boathouses have 110 seats and a ramp?',
    'Which of them are free on the second Saturday of June?',
    'What does each cost with a menu?',
  ];
  for (const number of [1, 2, 3]) {
    const hasClock = number < 3;
    const researcher = new AnthropicAgent({
      url,
      fetch,
      model: MODEL,
      instructions: () => (hasClock ? researcherInstructions(world.nowMs()) : RESEARCHER_RULES),
      tools: (turn) => (hasClock ? RESEARCHER_TOOLS : inAnotherOrder(RESEARCHER_TOOLS, Math.floor(turn / 2))),
      entriesPerSearch: 24,
    });
    await withScope({ thread: THREAD, phase: 'researcher', delegation: `researcher-${number}` }, async () => {
      for (const question of questions) {
        world.pass(3 * SECOND_MS);
        await researcher.ask(question);
      }
    });
  }
}

async function keepBudget(world: World, fetch: typeof globalThis.fetch): Promise<void> {
  const agent = new ResponsesAgent({
    url: world.url,
    fetch,
    model: 'gpt-5.1',
    instructions: BUDGET_INSTRUCTIONS,
  });
  await withScope({ thread: THREAD, phase: 'budget' }, async () => {
    await agent.ask('Book the offer of the boathouse: 4,200 euros, deposit 1,000.');
    world.pass(15 * SECOND_MS);
    await agent.ask('The band asks 2,400. Is that within the plan?');
    world.pass(15 * SECOND_MS);
    agent.emptyOldestToolResult();
    await agent.ask('And the flowers, 1,150, to be paid in May?');
  });
}
