/** The demo's tools, described at the length at which real tools are. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, { readonly type: string; readonly description: string }>>;
    readonly required: readonly string[];
  };
}

function tool(name: string, description: string, fields: Readonly<Record<string, string>>): Tool {
  return {
    name,
    description: `${description} Returns JSON. Fails with a reason in words when nothing is found; do not repeat a failed call with the same input.`,
    input_schema: {
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(fields).map(([field, meaning]) => [field, { type: 'string', description: meaning }]),
      ),
      required: Object.keys(fields).slice(0, 1),
    },
  };
}

const SEARCH = tool('directory__search', 'Search the directory of venues and vendors around the lake.', {
  query: 'What is looked for, in plain words: place, kind of house, number of guests, budget.',
  page: 'Page of the result, from 0. A page has a dozen entries.',
});
const READ = tool(
  'directory__read',
  'Read the full entry of one venue or vendor, with prices and conditions.',
  {
    id: 'Id of the entry, as a search returned it.',
  },
);
const DISTANCE = tool('maps__distance', 'Way and time between two places, by ferry, by car or on foot.', {
  from: 'Where the way begins: an address or the id of an entry.',
  to: 'Where it ends.',
  mode: 'One of ferry, car, foot; the quickest where it is left out.',
});
const CALENDAR = tool('calendar__free', 'Days on which a house is free, as it reported them last night.', {
  id: 'Id of the entry.',
  month: 'Month as YYYY-MM.',
});

export const RESEARCHER_TOOLS: readonly Tool[] = [SEARCH, READ, DISTANCE, CALENDAR];

export const PLANNER_TOOLS: readonly Tool[] = [
  SEARCH,
  CALENDAR,
  tool('plan__update', 'Write a duty of the plan: owner, due date, state, cost.', {
    duty: 'Which duty, by its name in the plan.',
    change: 'What changes, in one sentence.',
  }),
  tool('guests__count', 'How many guests have said yes, no or nothing, with diets.', {
    group: 'A group of guests, or all.',
  }),
];

/** The bug: it appears in the middle of a conversation, in front of the tools that were there. */
export const SEATING_TOOL = tool(
  'charts__seating',
  'Draw a seating chart from the guest list and the rules of the couple.',
  {
    rules: 'Who sits with whom and who does not, in plain words.',
    tables: 'How many tables, and how many seats each.',
  },
);

/** The bug: tools come out of a map whose order depends on which server answered first. */
export function inAnotherOrder(tools: readonly Tool[], turn: number): readonly Tool[] {
  const first = turn % tools.length;
  return [...tools.slice(first), ...tools.slice(0, first)];
}
