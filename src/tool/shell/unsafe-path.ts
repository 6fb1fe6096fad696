import { isSecretPath } from "../permissions/secret-paths.ts";
import { mayRead, pathsOf, type ShellContext } from "./shell-context.ts";
import type { ShellWord } from "./shell-word.ts";

export interface ReadContext {
  readonly place: ShellContext;
  /** Every folder that the command may run in; undefined if unknown. */
  readonly folders: readonly string[] | undefined;
}

/** Returns why reading a file needs approval. */
export function unsafePath(word: ShellWord, { folders, place }: ReadContext): string | undefined {
  if (folders === undefined) return "the folder it would run in is unknown";
  const paths = pathsOf(word, folders, place);
  if (paths === undefined) return `what ${word.text} stands for is unknown`;
  for (const path of paths) {
    if (path === "/dev/null") continue;
    if (!mayRead(path, place)) return `${path} is outside the working folders`;
    if (isSecretPath(path)) return `${path} looks like a file with secrets`;
  }
  return undefined;
}
