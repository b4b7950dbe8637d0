/**
 * What the queries need of a server: the text of one, its parameters, and rows back. The client over HTTP is one
 * implementation, an engine inside a test another.
 */

/** Bound by the server, never put into the text. */
export type QueryParams = Readonly<Record<string, string | number | readonly string[]>>;

export type Row = Readonly<Record<string, unknown>>;

export type RunQuery = (sql: string, params: QueryParams) => Promise<readonly Row[]>;

/** A question that costs more than this is stopped by the server: others use it too. */
export const QUERY_SETTINGS = {
  max_execution_time: 60,
  max_memory_usage: '4000000000',
  max_result_rows: '200000',
  result_overflow_mode: 'throw',
  // These would change what the queries mean, so a profile of the server must not set them.
  join_use_nulls: 0,
  group_by_use_nulls: 0,
  aggregate_functions_null_for_empty: 0,
  output_format_json_quote_64bit_integers: 0,
} as const;
