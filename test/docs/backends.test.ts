/** Names in the documentation are names that exist: a query for one that does not would find nothing and say so to nobody. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as semconv from '../../src/telemetry/semconv.ts';

const docs = new URL('../../docs/', import.meta.url);
const page = readFileSync(new URL('backends.md', docs), 'utf8');
const dashboard = readFileSync(new URL('grafana-dashboard.json', docs), 'utf8');

const names = Object.values(semconv);
const metrics = Object.entries(semconv).flatMap(([name, value]) =>
  name.startsWith('METRIC_') ? [value] : [],
);

/** As Prometheus spells them: counters end in `_total`, the histogram has its unit and its parts. */
const underscored = (name: string) => name.replaceAll('.', '_');
const prometheusMetrics = metrics.flatMap((name) => {
  const spelled = underscored(name);
  return name === semconv.METRIC_OVERHEAD_DURATION ? [`${spelled}_seconds_bucket`] : [`${spelled}_total`];
});
const prometheusNames = new Set([...prometheusMetrics, ...names.map(underscored)]);

const found = (text: string, pattern: RegExp) => [...new Set(text.match(pattern) ?? [])].sort();

describe('the page on backends', () => {
  it('names attributes, spans and metrics that exist', () => {
    const dotted = found(page, /\b(?:prompt_cache|gen_ai)\.[a-z_.]*[a-z_]/g);
    expect(dotted.length).toBeGreaterThan(20);
    expect(dotted.filter((name) => !(names as string[]).includes(name))).toEqual([]);
  });

  it('names metrics and labels as Prometheus spells them', () => {
    const spelled = found(page, /\b(?:prompt_cache|gen_ai)_[a-z_]*[a-z]/g);
    expect(spelled.length).toBeGreaterThan(3);
    expect(spelled.filter((name) => !prometheusNames.has(name))).toEqual([]);
  });

  it('tells of every metric', () => {
    expect(metrics.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('the files for operators', () => {
  const alerts = readFileSync(new URL('operators/alerts.yaml', docs), 'utf8');
  const collector = readFileSync(new URL('operators/collector.yaml', docs), 'utf8');

  it('alert by metrics and labels that exist', () => {
    const spelled = found(alerts, /\b(?:prompt_cache|gen_ai)_[a-z_]*[a-z]/g);
    expect(spelled.length).toBeGreaterThan(5);
    expect(spelled.filter((name) => !prometheusNames.has(name))).toEqual([]);
    const dotted = found(alerts, /\bprompt_cache\.[a-z_.]*[a-z]/g);
    expect(dotted.filter((name) => !(names as string[]).includes(name))).toEqual([]);
  });

  it('keep every trace with a span that tells of a loss', () => {
    const { policies } = parse(collector).processors.tail_sampling;
    const kept = JSON.stringify(policies);
    for (const name of [semconv.SPAN_DIVERGENCE, semconv.SPAN_MISS, semconv.ATTR_FINDING])
      expect(kept).toContain(name);
  });
});

describe('the dashboard', () => {
  const { panels, templating } = JSON.parse(dashboard);
  const expressions: string[] = panels.flatMap((panel: { targets: { expr: string }[] }) =>
    panel.targets.map(({ expr }) => expr),
  );

  it('queries metrics and labels that exist, and every metric', () => {
    const spelled = found(dashboard, /\b(?:prompt_cache|gen_ai)_[a-z_]*[a-z]/g);
    expect(spelled.filter((name) => !prometheusNames.has(name))).toEqual([]);
    expect(prometheusMetrics.filter((name) => !expressions.join('\n').includes(name))).toEqual([]);
  });

  it('uses variables that it defines, and panels that do not lie on each other', () => {
    const defined = templating.list.map(({ name }: { name: string }) => `$${name}`);
    const used = found(expressions.join('\n'), /\$(?!__)[a-z]+/g);
    expect(used.filter((name) => !defined.includes(name))).toEqual([]);
    const cells = panels.flatMap(
      ({ gridPos: { x, y, w, h } }: { gridPos: Record<'x' | 'y' | 'w' | 'h', number> }) =>
        Array.from({ length: w * h }, (_, index) => `${x + (index % w)}:${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });
});
