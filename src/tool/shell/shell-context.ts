import { join, resolve } from "node:path";
import { isInside } from "../../platform/index.ts";
import { staticPrefix } from "../permissions/glob-pattern.ts";
import type { ShellLine } from "./shell-line.ts";
import type { ShellWord } from "./shell-word.ts";

/** Where a command line runs. */
export interface ShellContext {
  readonly cwd: string;
  /** Real and absolute. */
  readonly roots: readonly string[];
  /** Whether output may be sent to this file, real and absolute, without asking; without it to none. */
  readonly mayWrite?: ((path: string) => boolean) | undefined;
  readonly home?: string | undefined;
  /** Follows links. */
  readonly realPath: (path: string) => string;
}

/** Every folder the commands of a line may find themselves in, or undefined when a `cd` leads nobody knows where. */
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

/** The path a word names in a folder; undefined when it cannot be told. A pattern stands for the folder it searches in. */
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

/** All real paths a word may mean; undefined when that cannot be told. */
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

/** `HEAD:.env` names a file of a commit: as good as the file itself to somebody who may not see it. */
function pathInRevision(value: string): string | undefined {
  const path = /^[^:/\s][^:\s]*:(?!\/)([^:]+)$/.exec(value)?.[1];
  return path === undefined || path.startsWith("/") ? undefined : path;
}

export const isInRoots = (path: string, { roots }: Pick<ShellContext, "roots">) =>
  roots.some((root) => isInside(path, root));
