import { isInside } from "../../platform/index.ts";
import type { Disk } from "../permissions/disk.ts";
import type { ChangeRights } from "./change-rights.ts";
import { matchingPaths } from "./matching-paths.ts";
import { kernelPath, shellPath } from "./kernel-path.ts";
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
  /** True if a rule denies reading this file (real and absolute). */
  readonly isDenied?: ((path: string) => boolean) | undefined;
  readonly disk: Disk;
  /** Follows links. */
  readonly realPath: (path: string) => string;
}

/** Returns every folder that the commands of a line may run in, or undefined if the target of a `cd` is unknown. */
export function foldersOf(line: ShellLine, place: ShellContext): readonly string[] | undefined {
  const folders = new Set([place.cwd]);
  for (const { words, repeats } of line.commands) {
    const name = words[0]?.value;
    if (name === "pushd" || name === "popd") return undefined;
    if (name !== "cd") continue;
    const target = words.slice(1).find(({ value }) => !/^-[LPe@]+$|^--$/.test(value));
    if (repeats || target?.kind !== "literal" || target.value === "-") return undefined;
    for (const folder of Array.from(folders)) {
      const text = textOf(target, place.home);
      if (text === undefined || folders.size > 32) return undefined;
      // Bash removes `..` from the text first; with -P, and where that fails, it does as the kernel does.
      folders.add(shellPath(folder, text));
      if (text.includes("..")) folders.add(kernelPath(folder, text, place.disk));
    }
  }
  if (line.enters) folders.delete(place.cwd);
  return [...folders];
}

/** Returns the text of a path with the home folder in the place of `~`, or undefined if it is unknown. */
function textOf(word: ShellWord, home: string | undefined): string | undefined {
  if (word.kind === "single" || word.kind === "dynamic") return undefined;
  if (!word.tilde) return word.value;
  return home === undefined || !/^~(\/|$)/.test(word.value) ? undefined : home + word.value.slice(1);
}

/** Returns all real paths that a word may mean, as the kernel would open them, or undefined if unknown. */
export function pathsOf(word: ShellWord, folders: readonly string[], place: ShellContext): string[] | undefined {
  if (word.choices !== undefined) {
    const all = word.choices.map((choice) => pathsOf(choice, folders, place));
    return all.every((each) => each !== undefined) ? all.flat() : undefined;
  }
  const text = textOf(word, place.home);
  if (text === undefined) return undefined;
  const paths: string[] = [];
  for (const folder of folders) {
    paths.push(kernelPath(folder, text, place.disk));
    if (word.kind !== "pattern") continue;
    const matches = matchingPaths(text, folder, place.disk);
    if (matches === undefined) return undefined;
    paths.push(...matches.map((match) => kernelPath(folder, match, place.disk)));
  }
  return paths;
}

/** True if commands may read this file. */
export const mayRead = (path: string, { roots, readable = [] }: Pick<ShellContext, "roots" | "readable">) =>
  [...roots, ...readable].some((root) => isInside(path, root));
