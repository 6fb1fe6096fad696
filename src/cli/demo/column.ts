import type { Screen, Style } from "../screen.ts";

/** Where one agent's lines stand: the lead's at the left, the others' each under its name and in its colour. */
export interface Column {
  readonly name: string;
  readonly isLead: boolean;
  readonly style: Style;
  /** Wrapped; the mark stands before the first line. */
  say(text: string, options: { mark: string; markStyle: Style; style?: Style }): void;
  /** One line below what was said, cut where it does not fit. */
  below(text: string, style: Style): void;
}

const nameWidth = 6;

export function createColumn(screen: Screen, agent: { name: string; style: Style; isLead: boolean }): Column {
  const { name, isLead, style: color } = agent;
  const label = isLead ? "  " : `  ${name.padEnd(nameWidth)} `;
  return {
    name,
    isLead,
    style: color,
    say: (text, { mark, markStyle, style }) =>
      screen.paragraph(text, {
        first: `${label}${mark} `,
        mark: (first) => color(first.slice(0, label.length)) + markStyle(first.slice(label.length)),
        ...(style && { style }),
      }),
    below: (text, style) => screen.line(`${" ".repeat(label.length + 2)}${text}`, style),
  };
}
