import type { LineRequest } from "../allow-line.ts";
import { unsafeNamesReason } from "./read-only-find.ts";
import { readOnlyPrograms } from "./read-only-programs.ts";
import type { ShellRedirect } from "../shell-line.ts";
import { literalWord, type ShellWord } from "../shell-word.ts";

/** True if `xargs` gets only names of files that may be read: `find src -name '*.ts' | xargs …`. */
export function canReadNames(words: readonly ShellWord[], { command, place, folders }: LineRequest): boolean {
  const source = command?.source;
  if (source === undefined || folders === undefined || words !== command?.words) return false;
  if (![...command.redirects, ...source.redirects].every(isSilent) || source.assigns) return false;
  const separated = words.some(({ value }) => /^(-[rtx]*0|--null)$/.test(value));
  return unsafeNamesReason(source.words, separated, { place, folders }) === undefined;
}

const isSilent = ({ effect, target }: ShellRedirect) => effect === "none" && target?.text === "/dev/null";

/** Returns the words with a file of the folder in the place of the input, for programs that read all files they get. */
export function withInputNames(words: readonly ShellWord[]): readonly ShellWord[] | undefined {
  const name = words[0]?.value ?? "";
  const program = Object.hasOwn(readOnlyPrograms, name) ? readOnlyPrograms[name] : undefined;
  if (program?.most !== undefined || !/^(paths|pattern)$/.test(program?.operands ?? "")) return undefined;
  const named = words.map((word) => (word.isInput ? literalWord("./{}") : word));
  return words.some(({ isInput }) => isInput) ? named : [...named, literalWord("./{}")];
}
