import type { Screen, Style } from "../../src/cli/screen.ts";

/** Prints the lines of one agent under its name and in its color. */
export interface Column {
  readonly name: string;
  readonly style: Style;
  /** Prints wrapped text with the mark before its first line. */
  write(text: string, options: { mark: string; markStyle?: Style; style?: Style }): void;
  /** Prints one line below the text, cut to the width. */
  writeBelow(text: string, style: Style): void;
}

const nameWidth = 11;
/** On a narrower screen the name is printed on a separate line when it changes. */
const wideScreenWidth = 60;

/** Returns a function that creates the column of an agent. */
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
