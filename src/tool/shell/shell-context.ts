import { join, resolve } from "node:path";
import { isInside } from "../../platform/index.ts";
import { staticPrefix } from "../permissions/glob-pattern.ts";
import type { ChangeRights } from "./change-rights.ts";
import type { ShellLine } from "./shell-line.ts";
import type { ShellWord } from "./shell-word.ts";

/** The folders and permissions that a command line runs with. */
export interface ShellContext {
  readonly cwd: string;
  /** Real and absolute. */
  readonly roots: readonly string[];
  /** More folders whose files a command may read, but not run in. Real and absolute. */
  readonly readable?: readonly string[] | undefined;
  /** True if output may go to this file (real and absolute) without asking. Without it, output may go to no file. */
  readonly mayWrite?: ((path: string) => boolean) | undefined;
  /** Present if commands may change files without asking. */
  readonly changes?: ChangeRights | undefined;
  readonly home?: string | undefined;
  /** Follows links. */
  readonly realPath: (path: string) => string;
}

/** Returns every folder that the commands of a line may run in, or undefined if the target of a `cd` is unknown. */
export function foldersOf(line: ShellLine, place: ShellContext): readonly string[] | undefined {
  const folders = new Set([place.cwd]);
  for (const { words } of line.commands) {
    const name = words[0]?.value;
    if (name === "pushd" || name === "popd") return undefined;
    if (name !== "cd") continue;
    const target = words.slice(1).find(({ value }) => !/^-[LPe@]+$|^--$/.test(value));
    if (target?.kind !== "literal" || target.value === "-") return undefined;
    for (const folder of Array.from(folders)) {
      const path = pathOf(target, folder, place.home);
      if (path === undefined || folders.size > 32) return undefined;
      folders.add(path);
    }
  }
  if (line.enters) folders.delete(place.cwd);
  return [...folders];
}

/**
 * Returns the path that a word names in a folder, or undefined if unknown. A pattern stands for the folder that it
 * searches.
 */
export function pathOf(word: ShellWord, folder: string, home: string | undefined): string | undefined {
  if (word.kind === "single" || word.kind === "dynamic") return undefined;
  const text = word.kind === "pattern" ? patternFolder(word.value) : word.value;
  if (text === undefined) return undefined;
  if (!word.tilde) return resolve(folder, text);
  if (home === undefined || !/^~(\/|$)/.test(text)) return undefined;
  return join(home, text.slice(1));
}

/** A pattern in the place of a folder may also match `..`. */
function patternFolder(pattern: string): string | undefined {
  const { folder, rest } = staticPrefix(pattern);
  return /(^|\/)\.\.(\/|$)|(^|\/)\.[^/\w]/.test(rest) ? undefined : folder || ".";
}

/** Returns all real paths that a word may mean, or undefined if unknown. */
export function pathsOf(word: ShellWord, folders: readonly string[], place: ShellContext): string[] | undefined {
  const paths: string[] = [];
  for (const folder of folders) {
    const path = pathOf(word, folder, place.home);
    if (path === undefined) return undefined;
    paths.push(place.realPath(path));
    const inside = pathInRevision(word.value);
    if (inside !== undefined) {
      for (const base of [folder, ...place.roots]) paths.push(place.realPath(resolve(base, inside)));
    }
  }
  return paths;
}

/** `HEAD:.env` names a file of a commit. Reading it is the same as reading the file. */
function pathInRevision(value: string): string | undefined {
  const path = /^[^:/\s][^:\s]*:(?!\/)([^:]+)$/.exec(value)?.[1];
  return path === undefined || path.startsWith("/") ? undefined : path;
}

/** True if commands may read this file. */
export const mayRead = (path: string, { roots, readable = [] }: Pick<ShellContext, "roots" | "readable">) =>
  [...roots, ...readable].some((root) => isInside(path, root));
