/**
 * Content blocks of Anthropic's API. A string stands for one text block (FORMATS rule 2: proved by recorded reads), also
 * inside a tool result. A block type that is newer than this code is read as an opaque object of the API.
 */
import type { JsonObject } from '../exchange.ts';
import { type MessagePart, markOn, stringOrNull } from './builder.ts';
import { fixedLeaves, isObject, stringLeaf } from './leaves.ts';
import type { Leaf, SegmentKind } from './prompt.ts';

export function anthropicPart(block: unknown, path: string): MessagePart {
  if (!isObject(block)) {
    const text = typeof block === 'string' ? block : JSON.stringify(block ?? '');
    return { kind: 'text', path, leaves: [stringLeaf('type', '', 'text'), stringLeaf('text', '', text)] };
  }
  const type = stringOrNull(block.type) ?? 'unknown';
  const kind = kindOf(type);
  return {
    kind,
    path,
    name: stringOrNull(block.name) ?? undefined,
    callId:
      stringOrNull(block.tool_use_id) ?? (kind === 'tool_use' ? stringOrNull(block.id) : null) ?? undefined,
    holdsImage: type === 'image' || hasImage(block.content) || undefined,
    leaves:
      kind === 'tool_result'
        ? toolResultLeaves(block)
        : fixedLeaves(block, FIELD_ORDER, { ignore: ['citations'] }),
    mark: markOn(block, path, type === 'text' && block.text === '') ?? nestedMark(block, path),
  };
}

const FIELD_ORDER = [
  'type',
  'id',
  'tool_use_id',
  'name',
  'text',
  'thinking',
  'source',
  'input',
  'signature',
  'data',
];

function kindOf(type: string): SegmentKind {
  if (type === 'text') return 'text';
  if (type === 'thinking' || type === 'redacted_thinking') return 'thinking';
  if (type === 'image' || type === 'document') return 'media';
  if (type.endsWith('tool_use')) return 'tool_use';
  if (type.endsWith('tool_result')) return 'tool_result';
  return 'opaque';
}

function toolResultLeaves(block: JsonObject): Leaf[] {
  const leaves = fixedLeaves({ type: block.type, tool_use_id: block.tool_use_id }, ['type', 'tool_use_id']);
  const { content } = block;
  if (typeof content === 'string') {
    leaves.push(
      stringLeaf('content[0].type', '.content', 'text'),
      stringLeaf('content[0].text', '.content', content),
    );
  } else if (Array.isArray(content)) {
    content.forEach((inner, index) => {
      const at = `.content[${index}]`;
      if (isObject(inner)) leaves.push(...fixedLeaves(inner, FIELD_ORDER, { at, slot: `content[${index}]` }));
      else leaves.push(stringLeaf(`content[${index}]`, at, String(inner)));
    });
  } else if (isObject(content)) {
    leaves.push(...fixedLeaves(content, FIELD_ORDER, { at: '.content', slot: 'content' }));
  }
  leaves.push(
    ...fixedLeaves(block, [], {
      ignore: ['type', 'tool_use_id', 'content', ...(block.is_error === false ? ['is_error'] : [])],
    }),
  );
  return leaves;
}

function hasImage(content: unknown): boolean {
  return Array.isArray(content) && content.some((inner) => isObject(inner) && inner.type === 'image');
}

/** A mark inside a tool result's own content counts for the block that holds it. */
function nestedMark(block: JsonObject, path: string) {
  if (!Array.isArray(block.content)) return undefined;
  for (const [index, inner] of block.content.entries()) {
    const mark = markOn(inner, `${path}.content[${index}]`);
    if (mark) return mark;
  }
  return undefined;
}
