import { TroupeError } from "../../../protocol/index.ts";

/** A tmux command: its name and arguments. */
export type TmuxCommand = readonly string[];
/** Commands that run in sequence without a pause. A failing command ends its own group only. */
export type TmuxGroup = readonly TmuxCommand[];

/**
 * Encodes groups in tmux's command language, one group per line. Every byte with a possible meaning is escaped as
 * octal, so no text is read as a variable, format, comment or end of a command.
 */
export function encodeCommands(groups: readonly TmuxGroup[]): string {
  return groups.map((group) => `${group.map((command) => command.map(encodeWord).join(" ")).join(" ; ")}\n`).join("");
}

function encodeWord(word: string): string {
  let text = "";
  for (const byte of Buffer.from(word, "utf8")) {
    if (byte === 0) throw new TroupeError("team", "cannot pass an argument to tmux: it contains a zero byte");
    const character = String.fromCharCode(byte);
    text += plain.test(character) ? character : `\\${byte.toString(8).padStart(3, "0")}`;
  }
  return `"${text}"`;
}

const plain = /[A-Za-z0-9_./:@%-]/;
