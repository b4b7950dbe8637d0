/**
 * Format: one way in which recorded traffic is written down. Record: one line of a JSON Lines file, one element of a
 * top-level array, or a whole document. A format recognises a file by what a record holds, never by the file's name.
 */
import type { JsonObject } from '../../exchange.ts';
import type { UsageRecord } from '../../usage-only/usage-record.ts';
import type { LoggedExchange } from '../exchange-log.ts';
import type { SkippedLine } from '../log-error.ts';

export interface LogRecord {
  readonly value: JsonObject;
  /** `file:line` */
  readonly source: string;
  /** `file:line` of each element of the array at `path`, in order; `*` stands for every element of an array. */
  sourcesAt(...path: string[]): readonly string[];
}

export interface ReadContext {
  /** The file's name, for errors. */
  readonly file: string;
  readonly onSkippedLine: (line: SkippedLine) => void;
}

export interface LogFormat {
  /** For a person. */
  readonly name: string;
  fits(record: JsonObject): boolean;
  /** Throws a `LogError` where the file as a whole holds nothing to diagnose. */
  read(records: AsyncIterable<LogRecord>, context: ReadContext): AsyncGenerator<LoggedExchange>;
  /** The file holds usage and no bodies: `read` refuses, and this reads what there is. */
  readonly readUsageRecords?:
    | ((records: AsyncIterable<LogRecord>) => AsyncGenerator<UsageRecord>)
    | undefined;
  /** Each file holds one call and a folder of them is one sequence: when this one happened, ms since the epoch. */
  readonly callTime?: ((record: JsonObject) => number | undefined) | undefined;
}
