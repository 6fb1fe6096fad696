import { createHash } from "node:crypto";
import { constants, type Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { openWithoutFollowingLinks, PathMovedError } from "../../platform/index.ts";
import type { FileVersion } from "./file-tracker.ts";

/** A file larger than this is read in ranges only, and never edited or rewritten. */
export const wholeFileLimit = 32 * 1024 * 1024;

export type OpenedFile =
  | { readonly ok: true; readonly handle: FileHandle; readonly stat: Stats }
  | { readonly ok: false; readonly message: string; readonly missing: boolean };

/** Opens the regular file at `path`, a real path, and nothing that it is swapped for; `shown` is what messages call it. A pipe or a device is never opened for reading, for it might never answer. */
export async function openRegularFile(path: string, shown = path): Promise<OpenedFile> {
  let handle: FileHandle;
  try {
    // Not blocking: opening a pipe would else wait for its other end.
    handle = await openWithoutFollowingLinks(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (error instanceof PathMovedError) return { ok: false, missing: false, message: error.message };
    const { code, message } = error as NodeJS.ErrnoException;
    const missing = code === "ENOENT" || code === "ENOTDIR";
    return { ok: false, missing, message: reasons[code ?? ""]?.(shown) ?? `${shown} cannot be read: ${message}` };
  }
  const stat = await handle.stat();
  if (stat.isFile()) return { ok: true, handle, stat };
  await handle.close();
  const message = stat.isDirectory()
    ? `${shown} is a directory. List it with Glob, or with ls in Bash.`
    : `${shown} is not a regular file but a device, pipe or socket; it cannot be read with this tool.`;
  return { ok: false, missing: false, message };
}

const reasons: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `${path} does not exist.`,
  ENOTDIR: (path) => `${path} does not exist: a part of the path is a file, not a directory.`,
  EACCES: (path) => `${path} cannot be read: permission denied.`,
  EISDIR: (path) => `${path} is a directory. List it with Glob, or with ls in Bash.`,
  ENXIO: (path) => `${path} is not a regular file but a device, pipe or socket; it cannot be read with this tool.`,
  ELOOP: (path) => `${path} cannot be read: its links lead round in a circle.`,
  ENAMETOOLONG: (path) => `${path.slice(0, 200)}… cannot be read: the name is too long.`,
};

/** A whole file and its version, from one descriptor: the bytes are the ones the version speaks of. */
export async function readWhole(handle: FileHandle): Promise<{ bytes: Buffer; version: FileVersion }> {
  const { mtimeMs } = await handle.stat();
  const bytes = await handle.readFile();
  return { bytes, version: { mtimeMs, digest: digestOf(bytes) } };
}

export const digestOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
