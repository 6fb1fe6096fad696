import { TroupeError } from "../../../protocol/index.ts";

/** One command of tmux, as its name and arguments. */
export type TmuxCommand = readonly string[];
/** Commands that run one after the other without a pause; the first that fails ends the group, and only it. */
export type TmuxGroup = readonly TmuxCommand[];

/**
 * Groups in tmux's own language, one a line. Every byte that could mean something there is written as its number, so that
 * no text is ever taken for a variable, a format, a comment or the end of a command.
 */
export function encodeCommands(groups: readonly TmuxGroup[]): string {
  return groups.map((group) => `${group.map((command) => command.map(encodeWord).join(" ")).join(" ; ")}\n`).join("");
}

function encodeWord(word: string): string {
  let text = "";
  for (const byte of Buffer.from(word, "utf8")) {
    if (byte === 0)
      throw new TroupeError("team", "an argument for tmux holds a zero byte, which no program can be given");
    const character = String.fromCharCode(byte);
    text += plain.test(character) ? character : `\\${byte.toString(8).padStart(3, "0")}`;
  }
  return `"${text}"`;
}

const plain = /[A-Za-z0-9_./:@%-]/;
