/** What a segment is called where a person reads of it: `tool git__log`, `system block 1`, `message 4 (tool, tool result)`. */
import type { Segment } from './prompt.ts';

export function segmentLabel(segment: Segment): string {
  switch (segment.component) {
    case 'model':
      return 'model';
    case 'tools':
      return `tool ${segment.name ?? ''}`.trim();
    case 'parameters':
      return `setting ${segment.name ?? ''}`.trim();
    case 'system':
      return segment.path === 'system' || segment.path === 'instructions'
        ? 'system prompt'
        : `system block ${indexIn(segment.path)}`;
    case 'messages':
      return `message ${segment.messageIndex ?? 0} (${segment.role ?? 'unknown'}, ${segment.kind.replace('_', ' ')})`;
  }
}

function indexIn(path: string): string {
  return path.match(/\[(\d+)\]/)?.[1] ?? '0';
}
