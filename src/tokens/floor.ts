/**
 * The floor: what every call of a lineage pays before its first message, part by part. Made only where a head is new, as
 * it is the same for all calls that share one.
 */
import type { FloorPart } from '../diagnosis.ts';
import type { Prompt, Segment } from '../prompt/prompt.ts';
import { segmentLabel } from '../prompt/segment-label.ts';
import type { TokenScale } from './estimate.ts';

export function floorOf({ segments, headLength }: Prompt, scale: TokenScale): FloorPart[] {
  const parts: FloorPart[] = [];
  for (let index = 0; index < headLength; index += 1) {
    const segment = segments[index] as Segment;
    const component = floorComponent(segment);
    const tokens = scale.between(index, index + 1);
    if (component !== null && tokens > 0) parts.push({ component, label: floorLabel(segment), tokens });
  }
  return parts;
}

/** Settings that a provider renders into the prompt like a tool. The others are a word or two, or no text at all. */
const RESPONSE_SCHEMAS: ReadonlySet<string | undefined> = new Set([
  'output_config.format',
  'response_format',
  'responseJsonSchema',
  'responseSchema',
  'text.format',
]);

/** `null`: the segment is no part of the floor. */
export function floorComponent({ component, kind, name, leaves }: Segment): FloorPart['component'] | null {
  if (kind === 'parameter') return RESPONSE_SCHEMAS.has(name) && leaves.length > 0 ? 'parameters' : null;
  return component === 'tools' || component === 'system' ? component : null;
}

/** Beside its component a tool or a schema needs no more than its name. */
export function floorLabel(segment: Segment): string {
  return segment.component !== 'system' && segment.name ? segment.name : segmentLabel(segment);
}
