/** What the demo's tools answer with: a made-up directory of venues and vendors, the same on every run. */
const TOWNS = [
  'Lindau',
  'Meersburg',
  'Bregenz',
  'Konstanz',
  'Überlingen',
  'Friedrichshafen',
  'Wasserburg',
  'Langenargen',
];
const HOUSES = [
  'Mill',
  'Orangery',
  'Boathouse',
  'Abbey Barn',
  'Vineyard',
  'Old Customs House',
  'Lake Pavilion',
  'Castle Cellar',
];
const MEALS = [
  'trout from the lake',
  'a vegetarian menu',
  'a barbecue on the terrace',
  'a five-course dinner',
  'a long buffet',
];
const NOTES = [
  'Music has to end outdoors at ten and indoors at two; the licence for later hours takes six weeks.',
  'The ferry runs until eleven, after that guests need the shuttle that the house can order.',
  'Own wine may be brought for a corkage of eighteen euros a bottle; beer comes from the house.',
  'The chapel next door can be booked with it and holds ninety people, with a ramp at the side door.',
  'Rain plan: the glass hall is kept free until noon of the day before at no charge.',
];

export interface Venue {
  readonly id: string;
  readonly name: string;
  readonly seats: number;
  readonly hireEur: number;
  readonly menuEur: number;
  readonly kitchen: string;
  readonly note: string;
}

/** `page` chooses which part of the directory a search finds. */
export function venues(page: number, count: number): Venue[] {
  return Array.from({ length: count }, (_, row) => {
    const number = page * count + row;
    return {
      id: `venue-${String(1_000 + number)}`,
      name: `${HOUSES[number % HOUSES.length]} ${TOWNS[(number * 3 + page) % TOWNS.length]}`,
      seats: 60 + ((number * 37) % 160),
      hireEur: 1_800 + ((number * 410) % 5_200),
      menuEur: 64 + ((number * 13) % 58),
      kitchen: `The kitchen is known for ${MEALS[number % MEALS.length]}, and serves allergies with a week's notice.`,
      note: NOTES[(number + page) % NOTES.length] ?? '',
    };
  });
}

/** As a search tool returns it: JSON text, about a hundred tokens an entry. */
export function searchResult(page: number, count: number): string {
  return JSON.stringify({ page, found: 184, results: venues(page, count) });
}
