/**
 * Renders a Converse request: tools, system, settings, messages. A `cachePoint` is an element of its own and marks the
 * element before it. https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
 */
import { ProviderError } from './provider-error.ts';
import { ANTHROPIC } from './rules.ts';
import { isObject, objectsOf, renderFields, type Segment, stringOf } from './segments.ts';
import type { JsonObject, JsonValue } from './types.ts';

export function renderConversePrompt(body: JsonObject): Segment[] {
  const toolConfig = isObject(body.toolConfig) ? body.toolConfig : {};
  const segments = [
    ...marked(objectsOf(toolConfig.tools), (tool) => block(`tool\n${renderFields(tool)}`)),
    ...marked(objectsOf(body.system), (part) => block(`system-prompt ${renderPart(part)}`)),
    ...setting('toolChoice', toolConfig.toolChoice),
    // Thinking and the like, in the vendor's own words.
    ...setting('additionalModelRequestFields', body.additionalModelRequestFields),
    ...objectsOf(body.messages).flatMap(({ role, content }) =>
      marked(objectsOf(content), (part) => ({
        kind: kindOf(part),
        text: `${stringOf(role)} ${renderPart(part)}`,
      })),
    ),
  ];
  rejectBadMarks(segments);
  return segments;
}

function marked(elements: readonly JsonObject[], segmentOf: (element: JsonObject) => Segment): Segment[] {
  const segments: Segment[] = [];
  for (const element of elements) {
    const { cachePoint } = element;
    if (!isObject(cachePoint)) {
      segments.push(segmentOf(element));
      continue;
    }
    const last = segments.pop();
    if (last !== undefined) segments.push({ ...last, markTtlMs: ttlMsOf(cachePoint) });
  }
  return segments;
}

function ttlMsOf({ ttl }: JsonObject): number {
  const ttlMs = ANTHROPIC.ttlMs[stringOf(ttl) || '5m'];
  if (ttlMs === undefined)
    throw new ProviderError(400, `Value '${stringOf(ttl)}' at 'cachePoint.ttl' failed`);
  return ttlMs;
}

function rejectBadMarks(segments: readonly Segment[]): void {
  const ttlsMs = segments.flatMap(({ markTtlMs }) => (markTtlMs === undefined ? [] : [markTtlMs]));
  if (ttlsMs.length > ANTHROPIC.maxBreakpoints) {
    throw new ProviderError(400, `A maximum of 4 cache points may be provided. Found ${ttlsMs.length}.`);
  }
  if (ttlsMs.some((ttlMs, index) => index > 0 && ttlMs > (ttlsMs[index - 1] ?? ttlMs))) {
    throw new ProviderError(400, "A cache point with ttl '1h' must not come after one with ttl '5m'.");
  }
}

function block(text: string): Segment {
  return { kind: 'block', text };
}

function setting(name: string, value: JsonValue | undefined): Segment[] {
  if (value === undefined || value === null) return [];
  return [{ kind: 'parameter', text: `setting ${name}\n${JSON.stringify(value)}` }];
}

function kindOf(part: JsonObject): Segment['kind'] {
  if (isObject(part.toolUse)) return 'tool_use';
  return isObject(part.toolResult) ? 'tool_result' : 'block';
}

/** A part is an object with one member, which names its kind. */
function renderPart(part: JsonObject): string {
  const [[kind, value] = ['', '']] = Object.entries(part);
  if (typeof value === 'string') return `${kind}\n${value}`;
  return `${kind}\n${isObject(value) ? renderFields(value) : JSON.stringify(value)}`;
}
