/**
 * What of a segment is counted: the text that a provider renders, without the API's own bookkeeping, and a flat figure for
 * what is no text. An image's base64 may be a megabyte where the model sees some thousand tokens, and a signature is not
 * shown to it at all.
 */
import type { Leaf, Segment } from '../prompt/prompt.ts';

/** What a segment holds beside text. */
export interface Sealed {
  /** Tokens of images, documents and sealed reasoning. */
  readonly tokens: number;
  readonly characters: number;
}

/**
 * One picture or one page. Providers count them by size, which is not read here: 85 to 1,700 for a picture (a screenshot
 * about 1,300), 1,500 to 3,000 for a page.
 */
const MEDIA_TOKENS = 1_300;

/** Sealed reasoning is billed as the reasoning that it holds: 7 to 10 characters a token in recorded calls. */
const SEALED_CHARACTERS_PER_TOKEN = 8;

export function segmentText(segment: Segment): string {
  if (segment.component === 'model') return '';
  let text = '';
  for (const leaf of segment.leaves)
    if (sealedTokens(segment, leaf) === null) text += renderedLeaf(segment, leaf);
  return text;
}

export function sealedIn(segment: Segment): Sealed {
  if (segment.component !== 'messages' || isPlainText(segment)) return NOTHING;
  const known = KNOWN.get(segment);
  if (known) return known;
  let tokens = 0;
  let characters = 0;
  for (const leaf of segment.leaves) {
    const sealed = sealedTokens(segment, leaf);
    if (sealed === null) continue;
    tokens += sealed;
    characters += leaf.text.length;
  }
  const found = characters === 0 ? NOTHING : { tokens, characters };
  KNOWN.set(segment, found);
  return found;
}

/** Role, type and text. */
function isPlainText({ kind, leaves }: Segment): boolean {
  return kind === 'text' && leaves.length <= 3;
}

const NOTHING: Sealed = { tokens: 0, characters: 0 };

/** A conversation's prompts share their segments, and each call asks for all of them. */
const KNOWN = new WeakMap<Segment, Sealed>();

const SIGNATURE_SLOT = /(^|\.|\])(signature|thought_?signature)$/i;
const SEALED_SLOT = /(^|\.|\])encrypted_content$/;
const MEDIA_SLOT = /(^|\.|\])(data|bytes|url|image_url|file_data|file_id|file_?uri)$/i;

/** Tokens of a leaf that is no text; `null` for text. */
function sealedTokens({ component, kind }: Segment, { slot, text, isString }: Leaf): number | null {
  if (!isString || component !== 'messages') return null;
  if (SIGNATURE_SLOT.test(slot)) return 0;
  if (SEALED_SLOT.test(slot) || (kind === 'thinking' && slot === 'data'))
    return Math.ceil(text.length / SEALED_CHARACTERS_PER_TOKEN);
  if (MEDIA_SLOT.test(slot) && isBinary(text)) return MEDIA_TOKENS;
  return null;
}

/** Shorter data is counted like text: it costs little either way. */
const SHORTEST_BINARY = 1_024;
const PROBE_LENGTH = 256;

function isBinary(text: string): boolean {
  if (text.length < SHORTEST_BINARY) return false;
  const start = text.startsWith('data:') ? text.indexOf(',') + 1 : 0;
  return /^[A-Za-z0-9+/_=-]+$/.test(text.slice(start, start + PROBE_LENGTH));
}

/** Ids and type names serve the API; the model does not see them. */
const UNSEEN_SLOT = /^(role|type|id|tool_use_id|call_id|tool_call_id|toolUseId|content\[\d+\]\.type)$/;
const PLAIN_NAME = /^(text|content|thinking|output|arguments)$/;

/** Named values keep their names: tools and arguments are rendered with them. */
function renderedLeaf({ component }: Segment, { slot, text, isString }: Leaf): string {
  if (UNSEEN_SLOT.test(slot)) return '';
  // The names of an object's fields are rendered with their values.
  if (!isString && text.startsWith('{')) return '';
  const name = slot.slice(slot.lastIndexOf('.') + 1).replace(/\[\d+\]$/, '');
  return component !== 'tools' && PLAIN_NAME.test(name) ? `${text}\n` : `${name}: ${text}\n`;
}
