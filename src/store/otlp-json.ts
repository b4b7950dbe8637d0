/**
 * OTLP JSON → plain spans, of whatever service wrote them.
 *
 * The encoding has freedoms, and each is taken somewhere: 64-bit integers as strings or numbers, enums as numbers or
 * names, fields left out at their default. What has no trace id and no span id is no span and is left out.
 */
type StoredValue = string | number | boolean | StoredValue[];
export type StoredAttributes = Record<string, StoredValue>;

type StoredKind = 'unspecified' | 'internal' | 'server' | 'client' | 'producer' | 'consumer';
type StoredStatusCode = 'unset' | 'ok' | 'error';

interface StoredLink {
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: StoredAttributes;
}

export interface StoredSpan {
  /** Hexadecimal, lower case. */
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: StoredKind;
  /** Milliseconds since the epoch, with a fraction. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: StoredAttributes;
  readonly links: readonly StoredLink[];
  readonly status: { readonly code: StoredStatusCode; readonly message?: string };
  /** Attributes of the resource: the same object for all spans of one resource of a line. */
  readonly resource: StoredAttributes;
  readonly scope: { readonly name: string; readonly version?: string };
}

type Fields = Readonly<Record<string, unknown>>;

const KINDS: readonly StoredKind[] = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];
const STATUS_CODES: readonly StoredStatusCode[] = ['unset', 'ok', 'error'];

/** All spans of one `TracesData`. A value without `resourceSpans` (a line of metrics or logs) has none. */
export function spansOfTracesData(tracesData: unknown): StoredSpan[] {
  const spans: StoredSpan[] = [];
  for (const resourceSpans of list(fields(tracesData).resourceSpans)) {
    const resource = attributesOf(fields(resourceSpans.resource).attributes);
    for (const scopeSpans of list(resourceSpans.scopeSpans)) {
      const scope = scopeOf(fields(scopeSpans.scope));
      for (const span of list(scopeSpans.spans)) {
        const stored = spanOf(span, resource, scope);
        if (stored !== undefined) spans.push(stored);
      }
    }
  }
  return spans;
}

function spanOf(
  span: Fields,
  resource: StoredAttributes,
  scope: StoredSpan['scope'],
): StoredSpan | undefined {
  const traceId = text(span.traceId).toLowerCase();
  const spanId = text(span.spanId).toLowerCase();
  if (traceId === '' || spanId === '') return undefined;
  const parentSpanId = text(span.parentSpanId).toLowerCase();
  const startMs = milliseconds(span.startTimeUnixNano) ?? 0;
  const message = text(fields(span.status).message);
  return {
    traceId,
    spanId,
    ...(parentSpanId === '' ? {} : { parentSpanId }),
    name: text(span.name),
    kind: enumValue(span.kind, KINDS, 'SPAN_KIND_') ?? 'unspecified',
    startMs,
    endMs: milliseconds(span.endTimeUnixNano) ?? startMs,
    attributes: attributesOf(span.attributes),
    links: list(span.links).map((link) => ({
      traceId: text(link.traceId).toLowerCase(),
      spanId: text(link.spanId).toLowerCase(),
      attributes: attributesOf(link.attributes),
    })),
    status: {
      code: enumValue(fields(span.status).code, STATUS_CODES, 'STATUS_CODE_') ?? 'unset',
      ...(message === '' ? {} : { message }),
    },
    resource,
    scope,
  };
}

function scopeOf(scope: Fields): StoredSpan['scope'] {
  const version = text(scope.version);
  return { name: text(scope.name), ...(version === '' ? {} : { version }) };
}

function attributesOf(keyValues: unknown): StoredAttributes {
  const attributes: StoredAttributes = {};
  for (const { key, value } of list(keyValues)) {
    const read = anyValue(fields(value));
    if (typeof key === 'string' && read !== undefined) attributes[key] = read;
  }
  return attributes;
}

/** An empty `AnyValue` is OTLP's null: an absent attribute. A map becomes its JSON text. */
function anyValue(value: Fields): StoredValue | undefined {
  if (typeof value.stringValue === 'string') return value.stringValue;
  if (typeof value.boolValue === 'boolean') return value.boolValue;
  if (value.intValue !== undefined) return finite(value.intValue);
  if (value.doubleValue !== undefined) return finite(value.doubleValue);
  if (typeof value.bytesValue === 'string') return value.bytesValue;
  if (value.arrayValue !== undefined) {
    const values = list(fields(value.arrayValue).values).map(anyValue);
    return values.filter((element) => element !== undefined);
  }
  if (value.kvlistValue !== undefined) return JSON.stringify(plainValue(value));
  return undefined;
}

/** A map with all inside it, before it becomes text: text inside text would double its escapes at each level. */
function plainValue(value: Fields): unknown {
  if (value.arrayValue !== undefined) return list(fields(value.arrayValue).values).map(plainValue);
  if (value.kvlistValue === undefined) return anyValue(value);
  const entries = list(fields(value.kvlistValue).values);
  return Object.fromEntries(entries.map(({ key, value: inner }) => [String(key), plainValue(fields(inner))]));
}

function milliseconds(nanoseconds: unknown): number | undefined {
  if (typeof nanoseconds === 'number') return nanoseconds / 1e6;
  if (typeof nanoseconds !== 'string' || !/^\d{1,20}$/.test(nanoseconds)) return undefined;
  // As one number nanoseconds since the epoch would lose their last three digits; microseconds do not.
  return Number(BigInt(nanoseconds) / 1000n) / 1000;
}

function finite(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function enumValue<T extends string>(value: unknown, names: readonly T[], prefix: string): T | undefined {
  if (typeof value === 'number') return names[value];
  return names.find((name) => value === prefix + name.toUpperCase());
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}; // any object may be read by name
}

function list(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fields) : [];
}
