// From raw measurements to figures: each subject against the bare client of the same process, then medians and ranges over rounds.
import { SUBJECTS } from './subjects.mjs';

export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};
const mean = (values) => values.reduce((total, value) => total + value, 0) / values.length;
const rounded = (value) => (value === null ? null : Number(value.toPrecision(4)));

function spread(values) {
  return {
    median: rounded(median(values)),
    lowest: rounded(Math.min(...values)),
    highest: rounded(Math.max(...values)),
  };
}

const groupBy = (rows, keyOf) => {
  const groups = new Map();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
};

export function summarise({ growth, lineages, streams }) {
  return {
    growth: growthFigures(growth),
    lineages: lineageFigures(lineages),
    streams: streamFigures(streams),
  };
}

/** One set of calls beside the same set of the bare client. */
function added({ own, bare, stringifyMs }) {
  const of = (bin, name) => mean(bin.calls.map((call) => call[name]));
  const transport = own.calls.map(({ transportMs }) => transportMs).filter((value) => value !== null);
  return {
    stringifyMs,
    bareCpuMs: bare.cpuMs,
    cpuMs: own.cpuMs - bare.cpuMs,
    wallMs: of(own, 'wallMs') - of(bare, 'wallMs'),
    // The time of a call varies by more than is added to it, and the middle one is the least disturbed.
    dispatchMs: median(own.calls.map((call, at) => call.dispatchMs - bare.calls[at].dispatchMs)),
    transportMs: transport.length === 0 ? null : median(transport),
    pauseMs: Math.max(0, ...own.calls.map((call, at) => addedPauseMs(call.pauses, bare.calls[at].pauses))),
    barePauseMs: Math.max(...bare.calls.map(({ pauses }) => Math.max(pauses.firstMs, pauses.laterMs))),
  };
}

/** The sets of several conversations as one: garbage that one set leaves to the next is spread over them. */
function joined(sets) {
  const of = (who) => ({
    calls: sets.flatMap((set) => set[who].calls),
    cpuMs: mean(sets.map((set) => set[who].cpuMs)),
  });
  return {
    ...sets[0],
    stringifyMs: median(sets.map((set) => set.stringifyMs)),
    own: of('own'),
    bare: of('bare'),
  };
}

/** In the turn that makes the request the bare client has a long pause of its own; behind it nearly none. */
function addedPauseMs(own, bare) {
  return Math.max(own.firstMs - bare.firstMs, own.laterMs - bare.laterMs);
}

function figuresOf(sets) {
  const rows = sets.map(added);
  const of = (name) => spread(rows.map((row) => row[name]));
  return {
    messages: sets[0].messages,
    bytes: sets[0].bytes,
    stringifyMs: of('stringifyMs'),
    bareCpuMs: of('bareCpuMs'),
    cpuMs: of('cpuMs'),
    cpuToStringify: spread(rows.map((row) => row.cpuMs / row.stringifyMs)),
    wallMs: of('wallMs'),
    wallToStringify: spread(rows.map((row) => row.wallMs / row.stringifyMs)),
    dispatchMs: of('dispatchMs'),
    transportMs: rows[0].transportMs === null ? null : of('transportMs'),
    pauseMs: of('pauseMs'),
    barePauseMs: of('barePauseMs'),
  };
}

function growthFigures(rows) {
  return [...groupBy(rows, ({ subject, isStreamed }) => `${subject} ${isStreamed}`).values()].map((group) => {
    const [{ subject, isStreamed, bins, made, recorded }] = group;
    const onceOf = (name) => {
      const sets = group.flatMap((row) => row[name]);
      return sets.length === 0 ? null : figuresOf(sets);
    };
    return {
      subject,
      label: SUBJECTS[subject].label,
      isStreamed,
      calls: made,
      spans: recorded,
      bins: bins.map((_, at) => figuresOf(group.map((row) => joined(row.bins[at])))),
      firstSight: onceOf('sights'),
      rewrite: onceOf('rewrites'),
    };
  });
}

function lineageFigures(rows) {
  return rows.map(({ subject, lineages, bytes, cpuMs, stringifyMs }) => ({
    subject,
    label: SUBJECTS[subject].label,
    lineages,
    bytes: rounded(bytes),
    bytesPerLineage: rounded(bytes / lineages),
    cpuMs: rounded(cpuMs),
    stringifyMs: rounded(stringifyMs),
  }));
}

function streamFigures(rows) {
  return [...groupBy(rows, (row) => row.subject).entries()].map(([subject, group]) => {
    const pairs = group.flatMap((row) => row.pairs);
    return {
      subject,
      label: SUBJECTS[subject].label,
      chunks: group[0].chunks,
      bareMicroseconds: spread(pairs.map(({ bare }) => bare)),
      ownMicroseconds: spread(pairs.map(({ own }) => own)),
      addedPercent: spread(pairs.map(({ own, bare }) => (own / bare - 1) * 100)),
    };
  });
}
