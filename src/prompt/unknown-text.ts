/**
 * A text that another process saw and this one did not: what was kept of it answers the questions that rules ask of an older
 * and a newer text. A form is a way of reading a text in which some differences vanish: times masked, spaces trimmed.
 */
export interface UnknownText {
  /** Whether a text, in this form, is what the unknown one is in it. */
  isSame(form: TextForm, text: string): boolean;
}

export type TextForm =
  | 'clock date'
  | 'date'
  | 'id'
  | 'path id'
  | 'number'
  | 'query'
  | 'clock date id path'
  | 'states'
  | 'normalised'
  | 'json'
  | 'placeholder';
