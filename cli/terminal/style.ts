/** Styles for plain reports: a few words in colour where colour is wanted, the bare text where it is not. */
export interface Style {
  strong(text: string): string;
  faint(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  accent(text: string): string;
}

const wrapped = (open: number, close: number) => (text: string) => `\x1b[${open}m${text}\x1b[${close}m`;
const bare = (text: string) => text;

export function createStyle(colored: boolean): Style {
  return colored
    ? {
        strong: wrapped(1, 22),
        faint: wrapped(2, 22),
        good: wrapped(32, 39),
        bad: wrapped(31, 39),
        accent: wrapped(36, 39),
      }
    : { strong: bare, faint: bare, good: bare, bad: bare, accent: bare };
}
