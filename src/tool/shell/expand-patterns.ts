import { join, resolve } from "node:path";
import type { ChangeContext } from "./change-rights.ts";
import { literalWord, type ShellWord } from "./shell-word.ts";

/** More names than these are not judged one by one. */
const mostNames = 500;

/**
 * Replaces each pattern by the names that bash puts in its place, as the folder is now. Only `*` and `?` count: what the
 * other signs match depends on the language and options of the shell.
 */
export function expandPatterns(
  words: readonly ShellWord[],
  context: ChangeContext,
): { readonly words: readonly ShellWord[] } | { readonly why: string } {
  const expanded: ShellWord[] = [];
  for (const word of words) {
    const names = word.kind === "pattern" ? namesOf(word, context) : [word];
    if ("why" in names) return names;
    expanded.push(...names);
  }
  return { words: expanded };
}

function namesOf(
  { text, value }: ShellWord,
  { folders, rights }: ChangeContext,
): readonly ShellWord[] | { readonly why: string } {
  const [folder] = folders;
  const parts = value.split("/");
  const isPlain = text === value && /^[\w.*?/-]+$/.test(text) && !/\*\*|\/$/.test(text);
  if (!isPlain || text.startsWith("-") || folder === undefined || folders.length > 1)
    return { why: `what ${text} stands for is unknown` };
  if (parts.some((part) => /^\.\.$|^\.[^/]*[*?]/.test(part)))
    return { why: `${text} could stand for hidden files or a folder above` };
  let found = [value.startsWith("/") ? "/" : ""];
  for (const part of parts.filter((each) => each !== "")) {
    found = /[*?]/.test(part)
      ? found.flatMap((at) =>
          (rights.files.namesIn(resolve(folder, at)) ?? []).filter(matcher(part)).map((name) => join(at, name)),
        )
      : found.map((at) => join(at, part));
    if (found.length > mostNames) return { why: `${text} stands for too many files to check` };
  }
  found = found.filter((name) => rights.files.kindOf(resolve(folder, name)) !== undefined);
  if (found.length === 0) return { why: `nothing matches ${text}` };
  if (found.some((name) => name.startsWith("-"))) return { why: `${text} could stand for an option` };
  const odd = found.find((name) => /[*?[\\]/.test(name));
  if (odd !== undefined) return { why: `${text} stands for ${odd}, which is a pattern itself` };
  return found.map(literalWord);
}

/** A `?` matches one character, and the language of the shell decides how many bytes that is: more match here. */
function matcher(part: string): (name: string) => boolean {
  const source = part.replaceAll(/[.]/g, "\\.").replaceAll("*", ".*").replaceAll("?", ".{1,4}");
  const pattern = new RegExp(`^${source}$`, "s");
  return (name) => !name.startsWith(".") && pattern.test(name);
}
