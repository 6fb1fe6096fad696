import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hasErrorCode, isInside, nearestName } from "../../platform/index.ts";
import type { ToolContext } from "../define-tool.ts";
import { runRipgrep } from "./ripgrep.ts";

/** The question whether another file was meant by a path that does not exist. Undefined if none is likely. */
export async function didYouMean(path: string, context: ToolContext): Promise<string | undefined> {
  const near = await nearestFile(path, context.roots);
  const found = near === undefined ? await filesNamed(basename(path), context) : [near];
  return found.length === 0 ? undefined : `Did you mean ${found.join(" or ")}?`;
}

/** A longer list of files does not help. */
const mostFiles = 3;

/** The files of this name in the working directory, without ignored ones. Empty if there are too many. */
async function filesNamed(name: string, context: ToolContext): Promise<readonly string[]> {
  const glob = `**/${name.replace(/[*?[\]{}\\!]/g, "\\$&")}`;
  const found = await runRipgrep(["--files", "--null", "--glob", glob], context, { limit: mostFiles, separator: "\0" });
  if (!found || found.more || found.trouble !== undefined) return [];
  return found.lines.map((line) => join(context.cwd, line));
}

/**
 * The file that was probably meant by a path that does not exist: one of a similar name in the same folder, or one of
 * the same name in a folder above, inside `roots`.
 */
async function nearestFile(path: string, roots: readonly string[]): Promise<string | undefined> {
  const name = basename(path);
  let folder = dirname(path);
  const near = nearestName(name, await namesIn(folder));
  if (near !== undefined) return join(folder, near);
  while (roots.some((root) => isInside(dirname(folder), root))) {
    folder = dirname(folder);
    if (await isFile(join(folder, name))) return join(folder, name);
  }
  return undefined;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR", "EACCES")) return [];
    throw error;
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR", "EACCES", "ELOOP")) return false;
    throw error;
  }
}
