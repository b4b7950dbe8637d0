/**
 * Keeps the values of a metric attribute few: each distinct set of values is a time series that a backend keeps and bills.
 * The first values stay; what comes after them, or is too long to be a name, becomes `_other`.
 */
const MAX_DISTINCT_VALUES = 50;
const MAX_VALUE_CHARACTERS = 128;

const OTHER_VALUE = '_other';

/** `null` stays unknown. */
type BoundedValues = (value: string | null | undefined) => string | undefined;

export function boundedValues(maxDistinctValues = MAX_DISTINCT_VALUES): BoundedValues {
  const known = new Set<string>();
  return (value) => {
    if (value === null || value === undefined) return undefined;
    if (known.has(value)) return value;
    if (known.size >= maxDistinctValues || value.length > MAX_VALUE_CHARACTERS) return OTHER_VALUE;
    known.add(value);
    return value;
  };
}
