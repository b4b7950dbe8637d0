/**
 * Shapes and colours with a meaning. A colour never stands alone: without it (`NO_COLOR`) the shape says the same.
 */
export const SHAPES = {
  read: '█',
  written: '▓',
  uncached: '░',
  unknown: '·',
  break: '╳',
  lapse: '◷',
  selected: '▸',
} as const;

export type Role =
  | 'read'
  | 'written'
  | 'uncached'
  | 'unknown'
  | 'break'
  | 'lapse'
  | 'accent'
  | 'removed'
  | 'added'
  | 'title'
  | 'faint'
  | 'plain';

/** Props for Ink's `<Text>`. */
interface TextStyle {
  readonly color?: string;
  readonly dimColor?: boolean;
  readonly bold?: boolean;
  readonly underline?: boolean;
}

export interface Theme {
  style(role: Role): TextStyle;
}

const COLORS: Readonly<Partial<Record<Role, string>>> = {
  read: 'green',
  written: 'yellow',
  break: 'red',
  lapse: 'magenta',
  accent: 'cyan',
  removed: 'red',
  added: 'green',
};

export function createTheme(isColored: boolean): Theme {
  return {
    style(role) {
      if (role === 'title') return { bold: true };
      if (role === 'faint' || role === 'uncached' || role === 'unknown') return { dimColor: true };
      const color = isColored ? COLORS[role] : undefined;
      const style = color === undefined ? {} : { color };
      if (role === 'break') return { ...style, bold: true };
      // Which words differ has to be seen without a colour too.
      if (role === 'removed' || role === 'added') return { ...style, underline: true };
      return style;
    },
  };
}
