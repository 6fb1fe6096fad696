import type { Disk } from "../permissions/disk.ts";
import { kernelPath } from "./kernel-path.ts";

/** More names than these are not judged one by one. */
const mostNames = 2_000;

/**
 * Returns the names that a pattern of the shell may stand for, as the folder is now. It returns too many rather than too
 * few: a bracket matches any text here. Undefined if there are too many.
 */
export function matchingPaths(pattern: string, folder: string, disk: Disk): readonly string[] | undefined {
  const found: string[] = [];
  const alternatives = braceAlternatives(pattern);
  if (alternatives === undefined) return undefined;
  for (const alternative of alternatives) {
    const names = /[*?[]/.test(alternative) ? namesOf(alternative, folder, disk) : [alternative];
    if (names === undefined) return undefined;
    found.push(...names);
  }
  return found.length > mostNames ? undefined : found;
}

/** Expands `{a,b}`. The text as it is stays among the alternatives: the braces may have been quoted. */
function braceAlternatives(text: string): readonly string[] | undefined {
  let open = [text];
  const all = new Set(open);
  while (open.length > 0) {
    const next = open.flatMap((each) => {
      const found = /\{([^{}]*,[^{}]*)\}/.exec(each);
      if (!found) return [];
      const [before, after] = [each.slice(0, found.index), each.slice(found.index + found[0].length)];
      return (found[1] ?? "").split(",").map((part) => before + part + after);
    });
    for (const each of next) all.add(each);
    if (all.size > 256) return undefined;
    open = next;
  }
  return [...all];
}

function namesOf(pattern: string, folder: string, disk: Disk): readonly string[] | undefined {
  let found = [pattern.startsWith("/") ? "/" : ""];
  for (const part of pattern.split("/").filter((each) => each !== "")) {
    if (!/[*?[]/.test(part)) {
      found = found.map((at) => at + (at === "" || at.endsWith("/") ? "" : "/") + part);
      continue;
    }
    const test = nameTest(part);
    found = found.flatMap((at) =>
      namesIn(kernelPath(folder, at === "" ? "." : at, disk), disk)
        .filter(test)
        .map((name) => at + (at === "" || at.endsWith("/") ? "" : "/") + name),
    );
    if (found.length > mostNames) return undefined;
  }
  return found;
}

/** A pattern that begins with a dot may match `.` and `..`. */
const namesIn = (folder: string, disk: Disk) => [".", "..", ...(disk.entriesIn(folder) ?? []).map(({ name }) => name)];

/** Names that begin with a dot match only patterns that begin with one, or with a bracket. */
function nameTest(part: string): (name: string) => boolean {
  const test = looseTest(part);
  const isHidden = /^[.[]/.test(part);
  return (name) => (isHidden || !name.startsWith(".")) && test(name);
}

/** Matches at least the names that a program matches with this pattern, whatever its rules for dots and slashes are. */
export function looseTest(pattern: string): (name: string) => boolean {
  const source = pattern
    .replace(/\[.*\]/su, "*")
    .replace(/[\\^$.+()[\]{}|/]/g, "\\$&")
    .replaceAll("*", ".*")
    // The language of the shell decides how many bytes are one character.
    .replaceAll("?", ".{1,4}");
  const test = new RegExp(`^${source}$`, "si");
  return (name) => test.test(name);
}
