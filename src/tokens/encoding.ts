/**
 * Which vocabulary a model's text is counted with. OpenAI's newer models all share one; for other vendors, whose
 * vocabularies are not public, it stands in, and calibration against reported usage takes the difference out.
 */
export type EncodingName = 'o200k_base' | 'cl100k_base';

/** gpt-3.5 and the first gpt-4 family; `gpt-4o`, `gpt-4.1` and `gpt-4.5` are newer. */
const OLDER_MODEL = /(^|[^a-z0-9])gpt-(3\.?5|4(?![.\do]))/i;

export function encodingOf(model: string | null): EncodingName {
  return model !== null && OLDER_MODEL.test(model) ? 'cl100k_base' : 'o200k_base';
}
