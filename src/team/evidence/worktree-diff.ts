import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { hasErrorCode } from "../../platform/index.ts";
import { cutAfter } from "../../protocol/index.ts";
import type { RepositoryContext } from "../worktree/repository.ts";
import { type DiffedWorktree, worktreeChanges } from "../worktree/worktree-changes.ts";

/** The size that a person can still read. Of a larger new file or diff the rest is omitted, with a note. */
const maxBytes = 2 * 1024 * 1024;
const maxOfNewFile = 256 * 1024;

/** The unified diff of a worktree against its base: committed, staged, changed and new files. */
export async function worktreeDiff(place: RepositoryContext, worktree: DiffedWorktree): Promise<string> {
  const { tracked, untracked } = await worktreeChanges(place, worktree);
  let diff = tracked;
  for (const path of untracked) {
    if (diff.length > maxBytes) break;
    diff += await newFile(worktree.path, path);
  }
  return cutAfter(diff, maxBytes, "\n… the rest is not shown\n");
}

async function newFile(folder: string, path: string): Promise<string> {
  const head = `diff --git a/${path} b/${path}\nnew file\n`;
  const content = await readText(join(folder, path));
  if (typeof content !== "string") return `${head}${content.why}\n`;
  if (content === "") return head;
  const lines = content.split("\n");
  const isWhole = lines.at(-1) === "";
  if (isWhole) lines.pop();
  const added = lines.map((line) => `+${line}\n`).join("");
  const end = isWhole ? "" : "\\ No newline at end of file\n";
  return `${head}--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n${added}${end}`;
}

/** Does not follow a link, which could lead anywhere. */
async function readText(path: string): Promise<string | { readonly why: string }> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = await file.stat();
      if (!stat.isFile()) return { why: "not a file" };
      if (stat.size > maxOfNewFile) return { why: `${stat.size} bytes, not shown` };
      const bytes = await file.readFile();
      return bytes.includes(0) ? { why: "Binary file" } : bytes.toString("utf8");
    } finally {
      await file.close();
    }
  } catch (error) {
    if (hasErrorCode(error, "ELOOP")) return { why: "a link, not followed" };
    // Removed since it was listed, or not readable.
    if (hasErrorCode(error, "ENOENT", "EACCES", "ENXIO")) return { why: "cannot be read" };
    throw error;
  }
}
