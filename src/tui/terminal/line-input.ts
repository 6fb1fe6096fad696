import type { KeyPress } from "./input-keys.ts";
import { graphemesOf } from "./terminal-width.ts";

/** A single-line text input with a cursor. */
export interface LineInput {
  readonly before: string;
  readonly after: string;
}

export const emptyInput: LineInput = { before: "", after: "" };

export const inputText = ({ before, after }: LineInput): string => before + after;

/** Returns the line after a key, or the same object if the key does nothing. */
export function editLine(input: LineInput, { name, text }: KeyPress): LineInput {
  const { before, after } = input;
  switch (name) {
    case "backspace":
      return before === "" ? input : { before: graphemesOf(before).slice(0, -1).join(""), after };
    case "delete":
      return after === "" ? input : { before, after: graphemesOf(after).slice(1).join("") };
    case "left":
      return before === "" ? input : moved(input, graphemesOf(before).length - 1);
    case "right":
      return after === "" ? input : moved(input, graphemesOf(before).length + 1);
    case "home":
    case "ctrl+a":
      return { before: "", after: before + after };
    case "end":
    case "ctrl+e":
      return { before: before + after, after: "" };
    case "ctrl+u":
      return { before: "", after };
    case "ctrl+k":
      return { before, after: "" };
    case "ctrl+w":
      return { before: before.replace(/\S*\s*$/, ""), after };
    default: {
      const written = text.replace(/\s*\n\s*/g, " ");
      return written === "" ? input : { before: before + written, after };
    }
  }
}

function moved(input: LineInput, to: number): LineInput {
  const all = graphemesOf(inputText(input));
  return { before: all.slice(0, to).join(""), after: all.slice(to).join("") };
}
