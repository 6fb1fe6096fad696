import type { Screen, Style } from "../../src/cli/screen.ts";

/** Where one agent's lines stand: under its name and in its colour. */
export interface Column {
  readonly name: string;
  readonly style: Style;
  /** Wrapped; the mark stands before the first line. */
  write(text: string, options: { mark: string; markStyle?: Style; style?: Style }): void;
  /** One line below what was said, cut where it does not fit. */
  writeBelow(text: string, style: Style): void;
}

const nameWidth = 11;
/** On a narrower screen the name stands on a line of its own, where it changes. */
const wideScreenWidth = 60;

/** Columns of one screen: `lead` is the widest, at the left. */
export function createColumns(screen: Screen): (name: string, style: Style) => Column {
  const isNarrow = screen.width < wideScreenWidth;
  let last: string | undefined;
  return (name, color) => {
    const label = isNarrow ? "  " : `  ${name.padEnd(nameWidth)} `;
    const open = () => {
      if (isNarrow && last !== name) screen.line(name, color);
      last = name;
    };
    return {
      name,
      style: color,
      write(text, { mark, markStyle = color, style }) {
        open();
        screen.paragraph(text, {
          first: `${label}${mark} `,
          mark: (first) => color(first.slice(0, label.length)) + markStyle(first.slice(label.length)),
          ...(style && { style }),
        });
      },
      writeBelow(text, style) {
        open();
        screen.line(`${" ".repeat(label.length + 2)}${text}`, style);
      },
    };
  };
}
