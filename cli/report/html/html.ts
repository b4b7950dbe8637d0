/**
 * Markup by tagged template: every value is escaped unless it is markup itself. Our own few lines, as a library escapes no
 * better where values stand only in text and in double-quoted attributes; a test holds the templates to that.
 */

/** A symbol, so that no recorded object can pass for markup. */
const MARKUP = Symbol('markup');

export interface Markup {
  readonly [MARKUP]: string;
}

type Value = Markup | string | number | null | readonly Value[];

export function html(texts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return {
    [MARKUP]: texts.map((text, index) => (index === 0 ? text : markup(values[index - 1]) + text)).join(''),
  };
}

/** For text of our own, such as the style sheet. */
export function trusted(text: string): Markup {
  return { [MARKUP]: text };
}

export function textOf(part: Markup): string {
  return part[MARKUP];
}

/** Advice is written as one writes in code review: what stands in backticks is code. */
export function withCode(text: string): Markup {
  const parts = text.split('`');
  return html`${parts.map((part, index) => (index % 2 === 1 && index < parts.length - 1 ? html`<code>${part}</code>` : part))}`;
}

/** A name of ours, like `messages.tool_result_cleared`, may break between its words. */
export function withBreaks(name: string): Markup {
  return html`${name.split(/(?<=[._])/).map((part, index) => (index === 0 ? part : html`<wbr>${part}`))}`;
}

function markup(value: Value | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return escaped(value);
  if (typeof value === 'number') return String(value);
  if (isMarkup(value)) return value[MARKUP];
  return value.map(markup).join('');
}

function isMarkup(value: Markup | readonly Value[]): value is Markup {
  return MARKUP in value;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
