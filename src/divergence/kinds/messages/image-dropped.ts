import type { Segment } from '../../../prompt/prompt.ts';
import type { KindRule } from '../../kind-rule.ts';
import { isExplainedBy } from '../../recognise/volatile.ts';
import { spanBetween } from '../../text-span.ts';

export const imageDropped: KindRule = {
  kind: 'messages.image_dropped',
  advice:
    'Keep images where they were sent, as the same bytes; to save tokens drop many at once, rarely, or start a new conversation.',
  matches: (difference) => {
    const { old, new: now } = difference;
    if (!old || !holdsMedia(old) || isDocument(old)) return false;
    const { leaf } = difference;
    if (leaf.old?.unknown?.isSame('query', leaf.new?.text ?? '')) return false;
    if (!now || mediaOf(old) !== mediaOf(now)) return !isRefreshedUrl(old, now);
    return false;
  },
};

function isDocument(segment: Segment): boolean {
  const isFile = ({ slot, text }: Segment['leaves'][number]) =>
    (/(^|[.\]])type$/.test(slot) && /document|file/.test(text)) ||
    (/(media_?type|mimeType|format)$/i.test(slot) &&
      /^(application|text)\/|^(pdf|docx?|txt|md|html|csv|xlsx?)$/.test(text)) ||
    slot.startsWith('document');
  return segment.leaves.some(isFile);
}

function holdsMedia(segment: Segment): boolean {
  return mediaOf(segment) !== '';
}

/** All media of a segment as one string: type, bytes or address. */
function mediaOf(segment: Segment): string {
  const isMedia = (slot: string, text: string) =>
    /(^|[.\]])(source|image|image_url|input_audio|inlineData|inline_data|fileData|file_data|file_id|bytes)(\.|$)/.test(
      slot,
    ) ||
    (/(^|[.\]])type$/.test(slot) && /image|audio/.test(text));
  return segment.leaves
    .filter(({ slot, text }) => isMedia(slot, text))
    .map(({ text }) => text)
    .join('\n');
}

/** The same address with another signature is a refreshed attachment, not a dropped image. */
function isRefreshedUrl(old: Segment, now: Segment | undefined): boolean {
  if (!now) return false;
  const [before, after] = [mediaOf(old), mediaOf(now)];
  return /https?:\/\//.test(before) && isExplainedBy(spanBetween(before, after), ['query']);
}
