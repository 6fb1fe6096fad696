import { isSecretPath } from "../../permissions/secret-paths.ts";
import { kernelPath } from "../kernel-path.ts";
import { looseTest } from "../matching-paths.ts";
import type { ShellContext } from "../shell-context.ts";
import type { ShellWord } from "../shell-word.ts";
import { couldNameSecret, entriesBelow } from "./tree-problem.ts";

/**
 * Returns the parts of a word of git that may be paths: `HEAD:a`, `:0:a`, `:(top)a`, `:!a`, `-L1,2:a`, `--x=a`. Whole
 * words are judged by `judgeListed`.
 */
function pathTexts(value: string): readonly string[] {
  const pieces = value.split(/[:=,)\s]/).slice(1);
  const tails = [...value.matchAll(/[:=)]/g)].map(({ index }) => value.slice(index + 1));
  return [...new Set([...pieces, ...tails])].map((text) => text.replace(/^[!^/]+/, "")).filter((text) => text !== "");
}

/** Returns the real paths that the parts of a git word may mean, in the folders and at the top of the repository. */
export function gitPaths(word: ShellWord, folders: readonly string[], place: ShellContext): readonly string[] {
  const bases = [...folders, ...place.roots];
  const texts = pathTexts(word.value);
  const named = texts.flatMap((text) => bases.map((base) => kernelPath(base, text, place.disk)));
  const patterns = [word.value, ...texts].filter((text) => /[*?[]/.test(text));
  return [
    ...named.filter((path) => place.disk.kindOf(path) !== undefined || isSecretPath(path)),
    ...matched(patterns, bases, place),
  ];
}

/** A pathspec is a pattern for whole paths: its stars also stand for slashes. */
function matched(patterns: readonly string[], bases: readonly string[], { disk }: ShellContext): readonly string[] {
  if (patterns.length === 0) return [];
  const tests = patterns.map((pattern) => looseTest(pattern));
  return [...new Set(bases)].flatMap((base) => {
    const root = disk.realPath(base);
    return (entriesBelow(root, disk, false) ?? [])
      .filter(({ path }) => tests.some((test) => test(path.slice(root.length + 1))))
      .map(({ path }) => path);
  });
}

/** True if a word ends in the name of a file with secrets, or is a pattern for one. */
export function namesSecretInGit({ value }: ShellWord): boolean {
  return [value, ...pathTexts(value)].some(
    (text) => isSecretPath(text) || (/[*?[]/.test(text) && couldNameSecret(looseTest(text))),
  );
}
