import { basename, dirname, join, resolve } from "node:path";
import { isInside } from "../../platform/index.ts";
import { isSecretPath } from "../permissions/secret-paths.ts";
import type { FileFacts } from "../permissions/workspace.ts";
import type { ShellContext } from "./shell-context.ts";
import type { ShellWord } from "./shell-word.ts";

/** The rights of an agent whose edits are accepted: commands may change the files that Edit and Write may change. */
export interface ChangeRights {
  /** Returns why Edit and Write may not change this path (real and absolute). */
  readonly refuse: (path: string) => string | undefined;
  readonly files: FileFacts;
  /** The folders that commands may change files in. */
  readonly roots: readonly string[];
  /** The top folder of the agent's worktree. Undefined: others work in its folder, too. */
  readonly ownWorktree: string | undefined;
}

export interface ChangeContext {
  readonly rights: ChangeRights;
  readonly place: ShellContext;
  readonly folders: readonly string[];
}

/** A reason to ask, or the paths that a word names, one for each folder that the command may run in. */
type Named = { readonly why: string } | { readonly paths: readonly string[] };

/**
 * Returns the paths of a word, with all links followed but the last: `rm` and `mv` act on a link itself. Only plain words
 * count, and `..` only where bash and the kernel agree about it.
 */
export function namedPaths(word: ShellWord, { place, folders }: ChangeContext): Named {
  if (word.kind !== "literal") return { why: `what ${word.text} stands for is unknown` };
  const { value } = word;
  if (value === "" || word.text.startsWith("~")) return { why: `${word.text} is outside the working folders` };
  const parts = value.split("/").filter((part) => part !== "" && part !== ".");
  const climbs = parts.lastIndexOf("..");
  if (climbs >= 0 && (folders.length > 1 || folders[0] !== place.cwd || parts.slice(0, climbs).some((p) => p !== "..")))
    return { why: `${value} contains ..` };
  return {
    paths: folders.map((folder) => {
      const path = resolve(folder, value);
      return path === "/" ? path : join(place.realPath(dirname(path)), basename(path));
    }),
  };
}

/** Returns why a path may not be written, created or removed. */
export function refusedChange(path: string, { rights }: ChangeContext): string | undefined {
  if (!rights.roots.some((root) => path !== root && isInside(path, root)))
    return `${path} is outside the working folders`;
  if (rights.roots.some((root) => isInside(root, path))) return `${path} contains a working folder`;
  return rights.refuse(path);
}

/** Returns why the content of a file may not be replaced. New files are in order. */
export function refusedReplacement(path: string, context: ChangeContext): string | undefined {
  const { files } = context.rights;
  const kind = files.kindOf(path);
  const why = refusedChange(path, context);
  if (why !== undefined || kind === undefined) return why;
  if (kind === "link") return refusedReplacementBehindLink(path, context);
  if (kind !== "file") return `${path} is not a regular file`;
  return files.isReplaceable(path) ? undefined : lostReason(path);
}

function refusedReplacementBehindLink(path: string, context: ChangeContext): string | undefined {
  const target = context.place.realPath(path);
  return target === path ? `${path} is a link` : refusedReplacement(target, context);
}

/** Returns why a file or folder may not be removed or moved with everything in it. */
export function refusedRemoval(path: string, context: ChangeContext, act: "remove" | "move"): string | undefined {
  const { files } = context.rights;
  const why = refusedChange(path, context);
  if (why !== undefined) return why;
  if (act === "move" && isSecretPath(path)) return `${path} looks like a file with secrets`;
  const kind = files.kindOf(path);
  if (kind === undefined) return undefined;
  if (kind !== "folder") return act === "move" || files.isReplaceable(path) ? undefined : lostReason(path);
  return refusedBelow(path, context, (each) => {
    if (act === "move" || files.kindOf(each) === "folder" || files.isReplaceable(each)) return undefined;
    return lostReason(each);
  });
}

/** True if git can restore a file or folder with everything in it, or the agent has written it. */
export function isReplaceable(path: string, context: ChangeContext): boolean {
  return refusedRemoval(path, context, "remove") === undefined;
}

/** Returns why a file or folder may not be copied or moved to a path. */
export function refusedArrival(path: string, from: string, context: ChangeContext): string | undefined {
  const { files } = context.rights;
  if (files.kindOf(from) !== "folder") return refusedReplacement(path, context);
  if (files.kindOf(path) !== undefined) return `${path} exists already`;
  const why = refusedChange(path, context);
  return why ?? refusedBelow(from, context, (each) => refusedChange(join(path, each.slice(from.length)), context));
}

function refusedBelow(
  folder: string,
  context: ChangeContext,
  also: (path: string) => string | undefined,
): string | undefined {
  const entries = context.rights.files.below(folder);
  if (entries === undefined) return `${folder} holds too many files to check`;
  for (const entry of entries) {
    const path = join(folder, entry);
    const why = context.rights.refuse(path) ?? also(path);
    if (why !== undefined) return why;
  }
  return undefined;
}

const lostReason = (path: string) => `git cannot restore ${path}, and you have not written it`;
