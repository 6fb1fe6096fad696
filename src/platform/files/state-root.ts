import type { Stats } from "node:fs";
import { access, chmod, constants, lstat, realpath, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { TroupeError } from "../../protocol/index.ts";
import { makeFolder } from "./make-folder.ts";
import { hasErrorCode, storageError } from "./storage-error.ts";

export interface StateRoot {
  /** The real path. */
  readonly path: string;
  /** Corrections that the user should know about. */
  readonly notices: readonly string[];
}

/**
 * Creates the state folder, or checks that it belongs to the user and is private. With `mayOnlyRead` a folder that
 * cannot be written is good enough: each write then fails with the reason.
 */
export async function openStateRoot(path: string, { mayOnlyRead = false } = {}): Promise<StateRoot> {
  if (!isAbsolute(path)) throw refused(path, "it is not an absolute path");
  try {
    await makeFolder(path);
    assertOurs(path, await lstat(path));
    const real = await realpath(path);
    const stats = await stat(real);
    if (!stats.isDirectory()) throw refused(path, "it is not a folder");
    assertOurs(path, stats);
    const notices = await tighten(real, stats);
    await access(real, (mayOnlyRead ? constants.R_OK : constants.W_OK) | constants.X_OK);
    return { path: real, notices };
  } catch (error) {
    if (TroupeError.is(error))
      throw error.code === "home" ? error : new TroupeError("home", error.message, { cause: error });
    if (hasErrorCode(error, "ENOENT")) throw refused(path, "it is a dangling symbolic link", error);
    throw new TroupeError("home", storageError("use the state folder", path, error).message, { cause: error });
  }
}

function assertOurs(path: string, stats: Stats): void {
  const us = process.getuid?.();
  if (us === undefined || stats.uid === us) return;
  const what = stats.isSymbolicLink() ? "the symbolic link" : "it";
  throw refused(path, `${what} belongs to user ${stats.uid}, not to the current user ${us}`);
}

async function tighten(path: string, stats: Stats): Promise<string[]> {
  if (process.platform === "win32" || (stats.mode & 0o077) === 0) return [];
  await chmod(path, 0o700);
  const before = (stats.mode & 0o777).toString(8).padStart(4, "0");
  return [`${path} was readable by other users (mode ${before}); its mode is now 0700.`];
}

function refused(path: string, why: string, cause?: unknown): TroupeError {
  const message = `Cannot keep state in ${path}: ${why}. Set TROUPE_HOME to a folder that belongs to you.`;
  return new TroupeError("home", message, { cause });
}
