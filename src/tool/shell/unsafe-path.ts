import { isSecretPath } from "../permissions/secret-paths.ts";
import { isInRoots, pathsOf, type ShellContext } from "./shell-context.ts";
import type { ShellWord } from "./shell-word.ts";

export interface ReadContext {
  readonly place: ShellContext;
  /** Every folder the command may run in; undefined when that is not known. */
  readonly folders: readonly string[] | undefined;
}

/** Why a file should not be read without asking. */
export function unsafePath(word: ShellWord, { folders, place }: ReadContext): string | undefined {
  if (folders === undefined) return "where it would run is not known";
  const paths = pathsOf(word, folders, place);
  if (paths === undefined) return `what ${word.text} stands for is not known`;
  for (const path of paths) {
    if (path === "/dev/null") continue;
    if (!isInRoots(path, place)) return `${path} is outside of the working folders`;
    if (isSecretPath(path)) return `${path} looks like a file with secrets`;
  }
  return undefined;
}
