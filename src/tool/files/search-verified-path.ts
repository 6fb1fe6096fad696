import { constants } from "node:fs";
import { stat } from "node:fs/promises";
import { hasErrorCode, openWithoutFollowingLinks, openFolderWithoutFollowingLinks } from "../../platform/index.ts";
import type { ToolContext } from "../define-tool.ts";
import { pathToOpen } from "./resolve-path.ts";
import { type RipgrepResult, runRipgrep } from "./ripgrep.ts";

export interface VerifiedSearch {
  readonly args: readonly string[];
  /** As `resolvePath` returns it; result lines begin with this path. */
  readonly path: string;
  readonly limit: number;
  readonly separator?: "\n" | "\0";
}

/**
 * Runs ripgrep on the authorized file or folder, held open, so that a swapped path is not searched. Below a folder,
 * ripgrep follows no links.
 */
export async function searchVerifiedPath(
  search: VerifiedSearch,
  context: ToolContext,
): Promise<RipgrepResult | undefined> {
  const real = pathToOpen(search.path, context);
  if (process.platform !== "linux") return runRipgrep([...search.args, "--", search.path], context, search);
  let isFolder: boolean;
  try {
    isFolder = (await stat(real)).isDirectory();
  } catch (error) {
    const trouble = hasErrorCode(error, "ENOENT", "ENOTDIR")
      ? `${search.path} does not exist.`
      : `${search.path} cannot be searched: ${(error as Error).message}.`;
    return { lines: [], more: false, trouble };
  }
  return isFolder ? searchFolder(search, real, context) : searchFile(search, real, context);
}

async function searchFolder(search: VerifiedSearch, real: string, context: ToolContext) {
  const folder = await openFolderWithoutFollowingLinks(real);
  try {
    const within = { ...context, cwd: folder.path, signal: context.signal };
    return renamed(await runRipgrep([...search.args, "--", "."], within, search), ".", search.path);
  } finally {
    await folder.close();
  }
}

async function searchFile(search: VerifiedSearch, real: string, context: ToolContext) {
  const handle = await openWithoutFollowingLinks(real, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const held = `/proc/${process.pid}/fd/${handle.fd}`;
    return renamed(await runRipgrep([...search.args, "--", held], context, search), held, search.path);
  } finally {
    await handle.close();
  }
}

const renamed = (found: RipgrepResult | undefined, held: string, path: string): RipgrepResult | undefined =>
  found && {
    ...found,
    lines: found.lines.map((line) => (line.startsWith(held) ? path + line.slice(held.length) : line)),
    trouble: found.trouble?.replaceAll(held === "." ? /(?<=^|\s)\.(?=\/)/g : held, path),
  };
