// The results as Markdown tables.

const SIZES = [10, 100, 300, 1_000];

const number = (value, digits = 2) => (value === null || value === undefined ? '–' : value.toFixed(digits));
const withRange = ({ median, lowest, highest }, digits = 2) =>
  `${number(median, digits)} (${number(lowest, digits)} to ${number(highest, digits)})`;
const row = (cells) => `| ${cells.join(' | ')} |`;
const table = (head, rows) =>
  [row(head), row(head.map((_, at) => (at === 0 ? '---' : '---:'))), ...rows.map(row)].join('\n');

/** The calls that ended nearest to a length. */
const binAt = ({ bins }, messages) =>
  bins.reduce((best, bin) =>
    Math.abs(bin.messages - messages) < Math.abs(best.messages - messages) ? bin : best,
  );

export function tables(result) {
  const { growth, lineages, streams, startup, machine, rounds } = result;
  const { cpu, cores, node, system, load } = machine;
  const sections = [
    `${cpu}, ${cores} cores, ${system}, Node ${node}, load ${number(load.lowest, 1)} to ${number(load.highest, 1)}, ${rounds} rounds.`,
  ];
  for (const isStreamed of [false, true]) {
    const rows = growth.filter((subject) => subject.isStreamed === isStreamed);
    if (rows.length > 0) sections.push(...growthTables(rows, isStreamed));
  }
  if (streams.length > 0) sections.push(streamTable(streams));
  if (lineages.length > 0) sections.push(lineageTable(lineages));
  if (startup) sections.push(startupTable(startup));
  return sections.join('\n\n');
}

function growthTables(rows, isStreamed) {
  const how = isStreamed ? 'streamed' : 'plain';
  const longest = rows[0].bins.at(-1).messages;
  const sizes = SIZES.filter((size) => size <= longest);
  const body = (size) => {
    const { bytes } = binAt(rows[0], size);
    return bytes > 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.round(bytes / 1e3)} kB`;
  };
  const head = (what) => [what, ...sizes.map((size) => `${size} messages, ${body(size)}`)];
  const stringify = [
    'one `JSON.stringify` of the body',
    ...sizes.map((size) => number(binAt(rows[0], size).stringifyMs.median)),
  ];
  const cpu = table(head(`CPU added to a call, ms (${how})`), [
    stringify,
    ...rows.map((subject) => [subject.label, ...sizes.map((size) => withRange(binAt(subject, size).cpuMs))]),
  ]);
  const ratio = table(head(`the same, as a multiple of \`JSON.stringify\` (${how})`), [
    ...rows.map((subject) => [
      subject.label,
      ...sizes.map((size) => `${number(binAt(subject, size).cpuToStringify.median)}×`),
    ]),
  ]);
  const wall = table(head(`time added to a call, ms (${how})`), [
    ...rows.map((subject) => [subject.label, ...sizes.map((size) => withRange(binAt(subject, size).wallMs))]),
  ]);
  const dispatch = table(head(`time added before the request leaves, ms (${how})`), [
    ...rows.map((subject) => [subject.label, ...sizes.map((size) => dispatchOf(binAt(subject, size)))]),
  ]);
  const pause = table(head(`longest pause of the event loop, ms, beyond that of the bare client (${how})`), [
    [
      '(of the bare client itself)',
      ...sizes.map((size) => number(binAt(rows[0], size).barePauseMs.median, 1)),
    ],
    ...rows.map((subject) => [
      subject.label,
      ...sizes.map((size) => number(binAt(subject, size).pauseMs.median, 1)),
    ]),
  ]);
  const once = rows.filter(({ firstSight }) => firstSight);
  // Their processor time is lost in that of the loop that watches for pauses while the answer is waited for.
  const surprises = table(
    [
      'longest pause, ms, beyond that of the bare client',
      'first sight of 300 messages',
      '300 rewritten in the middle',
    ],
    once.map(({ label, firstSight, rewrite }) => [
      label,
      withRange(firstSight.pauseMs, 1),
      rewrite ? withRange(rewrite.pauseMs, 1) : '–',
    ]),
  );
  return [cpu, ratio, wall, dispatch, pause, ...(once.length > 0 ? [surprises] : [])];
}

/** Where it was measured at the transport that is the exact figure; the other is a difference of two longer times. */
function dispatchOf({ dispatchMs, transportMs }) {
  return transportMs === null
    ? number(dispatchMs.median, 3)
    : `${number(transportMs.median, 3)} (measured at the transport)`;
}

function streamTable(streams) {
  return table(
    ['streams at once', 'chunks', 'bare client: CPU a chunk, µs', 'with it, µs', 'added, %'],
    streams.map(({ label, chunks, bareMicroseconds, ownMicroseconds, addedPercent }) => [
      label,
      chunks.toLocaleString('en'),
      withRange(bareMicroseconds, 1),
      withRange(ownMicroseconds, 1),
      withRange(addedPercent, 1),
    ]),
  );
}

function lineageTable(lineages) {
  return table(
    [
      'conversations of 300 messages',
      'at once',
      'memory in all, MB',
      'bytes each',
      'CPU added to a call, ms',
    ],
    lineages.map((subject) => [
      subject.label,
      subject.lineages.toLocaleString('en'),
      number(subject.bytes / 1e6, 1),
      Math.round(subject.bytesPerLineage).toLocaleString('en'),
      number(subject.cpuMs),
    ]),
  );
}

function startupTable({ importMs, emptyFileMs, nodeMs, helpMs, helpToNode, bundle, starts }) {
  return table(
    ['start', `median of ${starts}`],
    [
      ["`import 'prefixtrace'`", `${number(importMs, 1)} ms (an empty file: ${number(emptyFileMs, 1)} ms)`],
      [
        '`prefixtrace --help`',
        `${number(helpMs, 0)} ms (\`node --eval 0\`: ${number(nodeMs, 0)} ms; ${number(helpToNode)}×)`,
      ],
      [
        'main entry',
        `${Math.round(bundle.bytes / 1e3)} kB in ${bundle.files} files, ${Math.round(bundle.gzipBytes / 1e3)} kB gzipped`,
      ],
    ],
  );
}
