import type { Arguments } from "./arguments.ts";
import { looseTest } from "../matching-paths.ts";
import { pathsOf } from "../shell-context.ts";
import { literalWord, type ShellWord } from "../shell-word.ts";
import { couldNameSecret, treeProblem, type TreeSearch } from "./tree-problem.ts";
import type { ReadContext } from "./unsafe-path.ts";

/** Returns why a program that searches whole folders would read files with secrets, or leave the working folders. */
export function unsafeRecursionReason(
  name: string,
  { options, values, files }: Omit<Arguments, "operands"> & { readonly files: readonly ShellWord[] },
  context: ReadContext,
): string | undefined {
  const search = searchOf(name, { options, values });
  if (search === undefined) return undefined;
  return folderProblem(files.length === 0 ? [literalWord(".")] : files, search, context);
}

/** Checks every folder that the words name. */
export function folderProblem(
  words: readonly ShellWord[],
  search: TreeSearch,
  { place, folders = [place.cwd] }: ReadContext,
): string | undefined {
  for (const word of words) {
    for (const path of pathsOf(word, folders, place) ?? []) {
      const why = place.disk.kindOf(path) === "folder" ? treeProblem(path, search, place) : undefined;
      if (why !== undefined) return why;
    }
  }
  return undefined;
}

function searchOf(name: string, { options, values }: Pick<Arguments, "options" | "values">): TreeSearch | undefined {
  const has = (...names: string[]) => names.some((each) => options.has(each));
  const isNamed = has("include", "g", "glob") && areHarmlessNames(values.map(({ value }) => value));
  switch (name) {
    case "grep":
    case "egrep":
    case "fgrep":
      return has("r", "recursive") && !(isNamed && !has("exclude")) ? { follows: false } : undefined;
    case "rg":
      if (has("files", "type-list") || isNamed) return undefined;
      return { follows: false, skipsHidden: !has("hidden", ".", "u", "unrestricted") };
    case "diff":
      return has("r", "recursive") ? { follows: true } : undefined;
    default:
      return undefined;
  }
}

/** True for `*.ts`: no file with secrets has such a name. */
const areHarmlessNames = (globs: readonly string[]) =>
  globs.some((glob) => /^\*\.\w+$/.test(glob)) && globs.every((glob) => !couldNameSecret(looseTest(glob)));
