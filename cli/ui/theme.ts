/**
 * Shapes and colours with a meaning. A colour never stands alone: without it (`NO_COLOR`) the shape says the same.
 */
export const SHAPES = {
  read: '█',
  written: '▓',
  uncached: '░',
  unknown: '·',
  break: '╳',
  lapse: '⧗',
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
  | 'title'
  | 'faint'
  | 'plain';

/** Props for Ink's `<Text>`. */
interface TextStyle {
  readonly color?: string;
  readonly dimColor?: boolean;
  readonly bold?: boolean;
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
};

export function createTheme(isColored: boolean): Theme {
  return {
    style(role) {
      if (role === 'title') return { bold: true };
      if (role === 'faint' || role === 'uncached' || role === 'unknown') return { dimColor: true };
      const color = isColored ? COLORS[role] : undefined;
      if (color !== undefined) return role === 'break' ? { color, bold: true } : { color };
      return {};
    },
  };
}
