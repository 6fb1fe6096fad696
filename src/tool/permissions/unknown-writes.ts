import { readOnlyPrograms } from "../shell/looking/read-only-programs.ts";
import { kernelPath } from "../shell/kernel-path.ts";
import { baseName, type PossibleCommand } from "../shell/possible-commands.ts";
import { pathsOf, type ShellContext } from "../shell/shell-context.ts";
import type { ShellWord } from "../shell/shell-word.ts";
import { unwrapCommand } from "../shell/unwrap-command.ts";
import { writtenWords } from "../shell/written-paths.ts";

interface Writes {
  readonly possible: readonly PossibleCommand[];
  readonly place: ShellContext;
  /** Undefined if the target of a `cd` is unknown. */
  readonly folders: readonly string[] | undefined;
  /** Returns why a path may not be written. */
  readonly protect: (path: string) => string | undefined;
}

/**
 * Returns why a line could write to a protected path without its words saying so: the file or the folder is unknown, or a
 * command that is not known to only look names a protected path.
 */
export function unknownWriteReason(writes: Writes): string | undefined {
  const { possible, place, folders } = writes;
  for (const { words, redirects } of possible) {
    const written = writtenWords(words, redirects);
    if (written.length > 0 && folders === undefined) return "the folder that it writes in is unknown";
    const unknown = written.find((word) => pathsOf(word, folders ?? [], place) === undefined);
    if (unknown) return `where it writes (${unknown.text}) is unknown`;
    const unwrapped = unwrapCommand(words);
    if (unwrapped !== undefined && unwrapped !== "unclear" && unwrapped.appends) {
      const [name = ""] = unwrapped.inner.map(({ value }) => value);
      if (writtenWords([...unwrapped.inner, ...unwrapped.inner], []).length > 0)
        return `which files ${name} changes comes from another command`;
    }
    const named = onlyLooks(words) ? undefined : mentioned(words, writes);
    if (named !== undefined) return named;
  }
  return undefined;
}

const looking = new Set("cd echo printf true false : test [ find awk git gh which type command".split(" "));

/** True for programs that read, and for git: its own commands do not count as writes here. */
export function onlyLooks(words: readonly ShellWord[]): boolean {
  const name = baseName(words[0]?.value) ?? "";
  if (name === "find") return !words.some(({ value }) => /^-f(print|ls)/.test(value));
  return looking.has(name) || (Object.hasOwn(readOnlyPrograms, name) && name !== "sort");
}

/** Returns why a part of a word that looks like a path may not be written. */
function mentioned(words: readonly ShellWord[], { folders, place, protect }: Writes): string | undefined {
  const places = folders ?? [place.cwd];
  for (const word of words.slice(1)) {
    const texts = word.value.split(/[^\w.~/@%+-]+/).flatMap((text) => [text, text.replace(/^-+[a-zA-Z]?/, "")]);
    const paths = [
      ...(pathsOf(word, places, place) ?? []),
      ...texts.flatMap((text) =>
        /[./]/.test(text)
          ? places.map((folder) => kernelPath(folder, text.replace(/^~(?=\/)/, place.home ?? "~"), place.disk))
          : [],
      ),
    ];
    const why = paths.map(protect).find((reason) => reason !== undefined);
    if (why !== undefined) return why;
  }
  return undefined;
}
