/**
 * A labelled case: recorded requests, and what a diagnosis of the last of them has to say. The rules of what counts as
 * right are those of the project's score: one of the allowed kinds, and a path at or inside the expected one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { diagnose } from '../../src/diagnose.ts';
import type { Diagnosis } from '../../src/diagnosis.ts';
import type { Exchange } from '../../src/exchange.ts';
import { readExchangeLog } from '../../src/logs/exchange-log.ts';

export interface LabelledCase {
  readonly id: string;
  readonly title: string;
  readonly api: string;
  readonly requests: readonly unknown[];
  readonly expect: Expectation;
}

interface Expectation {
  readonly divergence?: ExpectedDivergence | null;
  /** Other kinds or misses that are as right. */
  readonly alternatives?: readonly string[];
  readonly alternative_paths?: readonly string[];
  readonly miss?: string;
  /** Calls that the miss is expected of; the last one where it does not say. */
  readonly affected_requests?: readonly number[];
  readonly rebilled_tokens?: number;
  /** The read held all the same. */
  readonly harmless?: boolean;
  /** Nothing is wrong here. */
  readonly control?: boolean;
  /** Only how the usage is read is asked for. */
  readonly reporting?: { readonly uncached_input_tokens?: number };
}

interface ExpectedDivergence {
  readonly component: string;
  readonly kind: string;
  readonly path: string;
  readonly leaf?: string;
  readonly byte_offset?: number;
}

export function labelledCases(folder: string): LabelledCase[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return files.sort().map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as LabelledCase);
}

/** The engine sees the traffic alone, through the reader of logs, as a file on disk would be read. */
export async function diagnoseCase(labelled: LabelledCase): Promise<Diagnosis[]> {
  return diagnose(await exchangesOf(labelled));
}

export async function exchangesOf({ id, api, requests }: LabelledCase): Promise<Exchange[]> {
  const exchanges: Exchange[] = [];
  for await (const { exchange } of readExchangeLog(chunksOf(JSON.stringify({ api, requests })), id)) {
    exchanges.push(exchange);
  }
  return exchanges;
}

async function* chunksOf(text: string): AsyncGenerator<string> {
  yield text;
}

/** Each way in which the answer falls short, in words; none where it is right. */
export function shortcomings({ api, requests, expect }: LabelledCase, calls: readonly Diagnosis[]): string[] {
  const last = calls.at(-1);
  if (last === undefined || calls.length !== requests.length)
    return [`${calls.length} diagnoses of ${requests.length} calls`];
  return [
    ...shortOfFinding(expect, last),
    ...shortOfDivergence(expect, last),
    ...shortOfMiss(expect, calls),
    ...shortOfTokens(expect, last, api),
  ];
}

function shortOfFinding(expect: Expectation, { finding, divergence, miss }: Diagnosis): string[] {
  if (expect.control || expect.reporting || expect.harmless)
    return finding ? [`finding ${divergence?.kind ?? miss}, where none was due`] : [];
  return expect.divergence && !finding ? ['no finding'] : [];
}

function shortOfDivergence(
  { divergence: want, ...expect }: Expectation,
  { divergence }: Diagnosis,
): string[] {
  if (!want) {
    const isFree = expect.control || expect.reporting;
    return divergence && !isFree
      ? [`divergence ${divergence.kind} at ${divergence.path}, where the prompt only grew`]
      : [];
  }
  if (divergence === null) return [`no divergence, not ${want.kind}`];
  const kinds = [want.kind, ...(expect.alternatives ?? [])];
  const paths = [want.path, want.leaf, ...(expect.alternative_paths ?? [])].filter(
    (path) => path !== undefined,
  );
  const short: string[] = [];
  if (divergence.component !== want.component)
    short.push(`component ${divergence.component}, not ${want.component}`);
  if (!kinds.includes(divergence.kind)) short.push(`kind ${divergence.kind}, not ${kinds.join(' or ')}`);
  if (!paths.some((path) => isAtOrInside(divergence.path, path)))
    short.push(`path ${divergence.path}, not ${paths.join(' or ')}`);
  const isSameLeaf = bare(divergence.leaf) === bare(want.leaf ?? want.path);
  if (want.byte_offset !== undefined && isSameLeaf && divergence.byteOffset !== want.byte_offset) {
    short.push(`byte ${divergence.byteOffset}, not ${want.byte_offset}`);
  }
  return short;
}

function isAtOrInside(path: string, wanted: string): boolean {
  const [mine, theirs] = [bare(path), bare(wanted)];
  return mine === theirs || mine.startsWith(`${theirs}.`) || mine.startsWith(`${theirs}[`);
}

/** The mark on a block is named by the mark or by the block. */
function bare(path: string): string {
  return path.replace(/^\$\.?/, '').replace(/\.(cache_control|cachePoint)$/, '');
}

function shortOfMiss(expect: Expectation, calls: readonly Diagnosis[]): string[] {
  if (expect.miss === undefined) return [];
  const allowed = [expect.miss, ...(expect.divergence ? [] : (expect.alternatives ?? []))];
  return (expect.affected_requests ?? [calls.length - 1])
    .filter((index) => !allowed.includes(calls[index]?.miss ?? ''))
    .map((index) => `miss ${calls[index]?.miss} of call ${index}, not ${allowed.join(' or ')}`);
}

/** OpenAI reads in blocks of 128 tokens; elsewhere one percent. */
function shortOfTokens(
  { rebilled_tokens: want, reporting }: Expectation,
  { tokens }: Diagnosis,
  api: string,
): string[] {
  const short: string[] = [];
  const uncached = reporting?.uncached_input_tokens;
  if (uncached !== undefined && tokens.uncached !== uncached)
    short.push(`${tokens.uncached} uncached tokens, not ${uncached}`);
  if (want === undefined) return short;
  const tolerance = api.startsWith('openai') ? 128 : Math.max(1, want * 0.01);
  const isRight = tokens.rebilled !== null && Math.abs(tokens.rebilled - want) <= tolerance;
  return isRight ? short : [...short, `${tokens.rebilled} tokens rebilled, not ${want}`];
}
