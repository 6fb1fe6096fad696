import { basename, join } from "node:path";
import { type ChangeContext, isReplaceable, namedPaths, refusedArrival, refusedRemoval } from "./change-rights.ts";
import type { FileChange } from "./file-commands.ts";
import type { ShellWord } from "./shell-word.ts";
import { unsafePath } from "./looking/unsafe-path.ts";

/** Judges `mv`, `cp` and `git mv`: every source, and every path that the destination can mean. */
export function transfer(
  name: "mv" | "cp" | "git mv",
  { files, flags }: { files: readonly ShellWord[]; flags: string },
  context: ChangeContext,
): FileChange {
  const target = files.at(-1);
  const sources = files.slice(0, -1);
  if (target === undefined || sources.length === 0) return { why: `${name} names no destination` };
  const { kindOf } = context.rights.files;
  const writes: string[] = [];
  const foreign: string[] = [];
  let moves = false;
  for (const source of sources) {
    // git itself reads `lib/` as `lib`.
    if (name !== "git mv" && /(^|\/)\.{0,2}$/.test(source.value))
      return { why: `${source.text} does not name one file or folder` };
    const [from, to] = [namedPaths(source, context), namedPaths(target, context)];
    if ("why" in from) return from;
    if ("why" in to) return to;
    for (const path of from.paths) {
      const kind = kindOf(path);
      const why =
        name === "cp" ? refusedSource(source, { path, flags, context }) : refusedRemoval(path, context, "move");
      if (why !== undefined) return { why };
      moves ||= kind !== "file";
      for (const place of to.paths) {
        const arrivals = arrivalsAt(place, path, { many: sources.length > 1, context });
        const refused = arrivals.map((arrival) => refusedArrival(arrival, path, context)).find(Boolean);
        if (refused !== undefined) return { why: refused };
        (name === "mv" && !isReplaceable(path, context) ? foreign : writes).push(...arrivals);
      }
    }
  }
  return { writes, foreign, moves, git: false };
}

function refusedSource(
  word: ShellWord,
  { path, flags, context }: { path: string; flags: string; context: ChangeContext },
): string | undefined {
  const { files } = context.rights;
  const why = unsafePath(word, context);
  if (why !== undefined) return why;
  if (files.kindOf(path) === "folder" && !/[rR]/.test(flags)) return `${path} is a folder`;
  return undefined;
}

/** A destination is the new name, or the folder that gets the file. A folder may also come from the line itself. */
function arrivalsAt(
  place: string,
  from: string,
  { many, context }: { many: boolean; context: ChangeContext },
): readonly string[] {
  const inside = join(context.place.realPath(place), basename(from));
  const kind = context.rights.files.kindOf(place);
  if (
    many ||
    kind === "folder" ||
    (kind === "link" && context.rights.files.kindOf(context.place.realPath(place)) === "folder")
  )
    return [inside];
  return kind === undefined ? [place, inside] : [place];
}
