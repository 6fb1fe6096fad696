import { constants, type Stats } from "node:fs";
import { copyFile, cp, lstat, mkdir, readdir, realpath, symlink } from "node:fs/promises";
import { dirname, isAbsolute, join, normalize } from "node:path";
import { hasErrorCode, isInside, storageError } from "../../platform/index.ts";
import { TroupeError, type WorktreeSettings } from "../../protocol/index.ts";
import { fingerprint } from "./worktree-fingerprint.ts";
import type { Repository } from "./repository.ts";
import type { PutFile } from "./worktree-entry.ts";

/**
 * Links or copies the ignored files that the settings name into a new worktree. Only ignored files: others would look
 * like work.
 */
export async function copyIntoWorktree(
  repository: Repository,
  worktree: string,
  settings: WorktreeSettings,
): Promise<{ copied: PutFile[]; notices: string[] }> {
  const copied: PutFile[] = [];
  const notices: string[] = [];
  for (const kind of ["link", "copy"] as const) {
    for (const pattern of settings[kind] ?? []) {
      const found = await ignoredMatches(repository, pattern);
      if (found.length === 0) notices.push(`worktree.${kind}: ${pattern} matches no ignored file or folder`);
      for (const path of found) {
        if (copied.some((other) => other.path === path)) continue;
        await copyOne({ from: join(repository.top, path), to: join(worktree, path), worktree, kind });
        const mark = await fingerprint(join(worktree, path));
        copied.push({ path, kind, ...(mark !== undefined && { mark }) });
      }
    }
  }
  return { copied, notices };
}

async function ignoredMatches(repository: Repository, pattern: string): Promise<string[]> {
  const plain = normalize(pattern).replace(/\/$/, "");
  if (isAbsolute(plain) || plain.split("/").some((part) => part === ".." || part.toLowerCase() === ".git")) {
    throw new TroupeError("settings", `worktree: ${pattern} is not a path inside the project`);
  }
  if (!/[*?[\\]/.test(plain)) {
    const isThere = (await optionalStats(join(repository.top, plain))) !== undefined;
    return isThere && (await repository.git(["check-ignore", "-q", "--", plain])).ok ? [plain] : [];
  }
  const listed = await repository.ask([
    "ls-files",
    "--others",
    "--ignored",
    "--exclude-standard",
    "--directory",
    "-z",
    "--",
    `:(top,glob)${plain}`,
  ]);
  return listed
    .split("\0")
    .filter(Boolean)
    .map((path) => path.replace(/\/$/, ""));
}

interface CopyRequest {
  readonly from: string;
  readonly to: string;
  readonly worktree: string;
  readonly kind: "link" | "copy";
}

async function copyOne({ from, to, worktree, kind }: CopyRequest): Promise<void> {
  try {
    await mkdir(dirname(to), { recursive: true });
    // A link in the repository must not redirect writes out of the worktree.
    if (!isInside(await realpath(dirname(to)), await realpath(worktree))) {
      throw new TroupeError("settings", `worktree.${kind}: ${to} goes through a link out of the worktree`);
    }
    if ((await optionalStats(to)) !== undefined) return;
    const isFolder = (await lstat(from)).isDirectory();
    if (kind === "copy") await (isFolder ? copyFolder(from, to) : copyFile(from, to, constants.COPYFILE_FICLONE));
    else await (isFolder ? linkEntries(from, to) : symlink(from, to));
  } catch (error) {
    throw TroupeError.is(error) ? error : storageError(`${kind} ${from} to`, to, error);
  }
}

const copyFolder = (from: string, to: string) =>
  cp(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    preserveTimestamps: true,
    errorOnExist: true,
    force: false,
    mode: constants.COPYFILE_FICLONE,
  });

/**
 * A folder of links instead of a link to the folder: `node_modules/` in a `.gitignore` does not match a link of that
 * name.
 */
async function linkEntries(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const name of await readdir(from)) await symlink(join(from, name), join(to, name));
}

async function optionalStats(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}
