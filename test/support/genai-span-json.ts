/** Spans of model calls in OTLP JSON, as instrumentations with content capture make them. */
export const LONG_TEXT = 'Be brief and kind. '.repeat(1500);

export interface SpanParts {
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startMs?: number;
  readonly name?: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly events?: readonly {
    readonly name: string;
    readonly attributes: Readonly<Record<string, unknown>>;
  }[];
  readonly scope?: string;
}

export const MODEL_CALL = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'claude-opus-5',
  'gen_ai.provider.name': 'anthropic',
  'gen_ai.usage.input_tokens': 9000,
  'gen_ai.usage.cache_read.input_tokens': 0,
};

export function promptAttributes(time: string): Record<string, unknown> {
  return {
    'gen_ai.system_instructions': JSON.stringify([{ type: 'text', content: `It is ${time}. ${LONG_TEXT}` }]),
    'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: 'hi' }] }]),
  };
}

export function tracesData(spans: readonly SpanParts[]): Record<string, unknown> {
  return {
    resourceSpans: [
      {
        resource: { attributes: keyValues({ 'service.name': 'theirs' }) },
        scopeSpans: spans.map((span) => ({
          scope: { name: span.scope ?? 'theirs' },
          spans: [spanJson(span)],
        })),
      },
    ],
  };
}

function spanJson({ spanId, parentSpanId, startMs = 1_800_000_000_000, name = 'chat', ...rest }: SpanParts) {
  return {
    ...{ traceId: '0af7651916cd43dd8448eb211c80319c', spanId, parentSpanId, name, kind: 3 },
    startTimeUnixNano: `${startMs}000000`,
    endTimeUnixNano: `${startMs + 500}000000`,
    attributes: keyValues(rest.attributes ?? {}),
    events: (rest.events ?? []).map((event) => ({
      name: event.name,
      attributes: keyValues(event.attributes),
    })),
  };
}

function keyValues(attributes: Readonly<Record<string, unknown>>) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: unknown): Record<string, unknown> {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  return { kvlistValue: { values: keyValues(value as Record<string, unknown>) } };
}
