/** Does a prompt open with a summary of what went before? The mark that a compaction leaves. */
import { type Prompt, type Segment, textOf } from '../prompt/prompt.ts';

/** What a client writes over its own summary; a person who asks for one writes otherwise. */
const SUMMARY =
  /\b(summary|summari[sz](ed|ing)|compact(ed|ion)|condensed|conversation (so far|history|is being continued)|continued from (a|the) previous|previous (conversation|session)|context checkpoint|hand-?off|progress so far|state[ _]snapshot|zusammenfassung|zusammengefasst|résumé (de|des|du)|resumen de|resumido|riassunto|samenvatting|podsumowanie|сводка)\b|(会話|これまで)の?(内容の)?(要約|まとめ)|要約[:：]|(对话|會話|對話|会话)(的)?(摘要|总结|總結)|(摘要|总结|總結)[:：]|요약[:：]/i;

/** A summary says what it is in its first lines. */
const OPENING_CHARACTERS = 600;

export function opensWithSummary(prompt: Prompt): boolean {
  const messages = prompt.segments.slice(prompt.headLength);
  const first = messages[0]?.messageIndex ?? 0;
  return messages
    .filter(({ messageIndex }) => (messageIndex ?? 0) <= first + 1)
    .some((segment) => segment.role === 'compaction' || saysSummary(segment));
}

function saysSummary(segment: Segment): boolean {
  return segment.kind === 'text' && SUMMARY.test(textOf(segment).slice(0, OPENING_CHARACTERS));
}
