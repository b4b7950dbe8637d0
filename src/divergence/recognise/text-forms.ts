/**
 * The forms in which rules compare an older text with a newer one. They are kept, as hashes, of texts that go to heads which
 * other processes share, so that a change is named there too.
 */
import type { TextForm } from '../../prompt/unknown-text.ts';
import { stableJson } from './json-order.ts';
import { normalised } from './normalised.ts';
import { maskStates } from './states.ts';
import { isPlaceholder } from './text.ts';
import { mask, type VolatileClass } from './volatile.ts';

type Reading = (text: string) => string;

const masking =
  (form: string): Reading =>
  (text) =>
    mask(text, form.split(' ') as VolatileClass[]);

export const TEXT_FORMS: Readonly<Record<TextForm, Reading>> = {
  'clock date': masking('clock date'),
  date: masking('date'),
  id: masking('id'),
  'path id': masking('path id'),
  number: masking('number'),
  query: masking('query'),
  'clock date id path': masking('clock date id path'),
  states: maskStates,
  normalised,
  // All placeholders are one.
  placeholder: (text) => (isPlaceholder(text) ? '' : text),
  json: (text) => stableJson(text) ?? text,
};
