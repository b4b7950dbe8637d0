import type { Difference } from '../../difference.ts';
import type { KindRule } from '../../kind-rule.ts';
import { isSameKind } from '../../recognise/messages.ts';
import { INJECTED, RULES_FILE } from '../../recognise/text.ts';
import { isExplainedBy } from '../../recognise/volatile.ts';

export const attachmentRefreshed: KindRule = {
  kind: 'messages.attachment_refreshed',
  advice:
    'Keep an attachment as it was when it was sent and attach the new version to the newest message; use file ids rather than signed addresses.',
  matches: (difference) => isSignedUrl(difference) || isSameFile(difference),
};

/** One address, another signature. */
function isSignedUrl({ span }: Difference): boolean {
  if (!span) return false;
  const text = span.unknown ? span.newText : span.oldText;
  return /https?:\/\/|gs:\/\/|s3:\/\//.test(text) && isExplainedBy(span, ['query']);
}

/** The same file on both sides: by its name, by its place in a message, or named in front of the change. */
function isSameFile(difference: Difference): boolean {
  const { span, old } = difference;
  if (!isSameKind(difference) || !old || old.role !== 'user' || old.kind === 'tool_result') return false;
  if (old.kind === 'media') return nameOf(difference, 'old') === nameOf(difference, 'new');
  if (!span) return false;
  const opening = span.oldText.slice(0, span.start);
  // An instruction file that a client puts in front is context, not an attachment of the user.
  return FILE_NAME.test(opening.slice(-400)) && !INJECTED.test(opening) && !RULES_FILE.test(opening);
}

function nameOf(difference: Difference, side: 'old' | 'new'): string {
  return difference[side]?.leaves.find(({ slot }) => /(^|\.)(title|filename|name)$/.test(slot))?.text ?? '';
}

const FILE_NAME = /(^|[\s"'`(<:=/\\])[\w@.-]{1,80}\.(?!md\b.{0,3}claude)[a-zA-Z][a-zA-Z0-9]{0,5}\b/;
