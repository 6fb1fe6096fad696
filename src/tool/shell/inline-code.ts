import type { ShellCommand } from "./shell-line.ts";
import type { ShellWord } from "./shell-word.ts";
import { unwrapCommand } from "./unwrap-command.ts";

/**
 * Returns the program if the command gives it code on the line or in a here-document. A rule that repeats the code is
 * unreadable and of no use for the next call.
 */
export function inlineCodeProgram({ words }: ShellCommand, line: string): string | undefined {
  const [name, ...rest] = withoutWrappers(words);
  if (name?.kind !== "literal") return undefined;
  const program = name.value.slice(name.value.lastIndexOf("/") + 1);
  if (!languages.test(program)) return undefined;
  const options = rest.filter(({ value }) => value.startsWith("-")).map(({ value }) => value);
  const readsInput = rest.length === 0 || options.some((option) => option === "-" || option === "-s");
  const isInline =
    options.some((option) => codeOption.test(option) || (program === "php" && option === "-r")) ||
    (program === "deno" && rest[0]?.value === "eval") ||
    (readsInput && hereDocument.test(line));
  return isInline ? name.value : undefined;
}

const languages =
  /^(?:(?:ba|da|z|k|fi)?sh|node|nodejs|deno|bun|tsx|ts-node|perl|ruby|php|lua|luajit|python|pypy|Rscript|julia|elixir)[\d.]*$/;
/** `-r` is code only for php: `node -r` loads a module. */
const codeOption = /^(?:-[a-zA-Z]*[ecp]|--(?:eval|print|command|run)(?:=.*)?)$/s;
const hereDocument = /<<-?\s*["'\\]?\w|<<</;

function withoutWrappers(words: readonly ShellWord[]): readonly ShellWord[] {
  const unwrapped = unwrapCommand(words);
  return unwrapped === undefined || unwrapped === "unclear" ? words : withoutWrappers(unwrapped.inner);
}
