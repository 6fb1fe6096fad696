import { createHash } from "node:crypto";
import { constants, type Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { openWithoutFollowingLinks, PathMovedError } from "../../platform/index.ts";

/** A larger file is read only in ranges, and never edited or rewritten. */
export const wholeFileLimit = 32 * 1024 * 1024;

export type OpenedFile =
  | { readonly ok: true; readonly handle: FileHandle; readonly stat: Stats }
  | { readonly ok: false; readonly message: string; readonly missing: boolean };

/**
 * Opens the regular file at `path` (a real path), and fails if the path was swapped for a link. Messages name it
 * `shown`. Never opens a pipe or device for reading, because the read might block forever.
 */
export async function openRegularFile(path: string, shown = path): Promise<OpenedFile> {
  let handle: FileHandle;
  try {
    // Non-blocking: opening a pipe would otherwise wait for its other end.
    handle = await openWithoutFollowingLinks(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (error instanceof PathMovedError) return { ok: false, missing: false, message: error.message };
    const { code, message } = error as NodeJS.ErrnoException;
    const missing = code === "ENOENT" || code === "ENOTDIR";
    return { ok: false, missing, message: reasons[code ?? ""]?.(shown) ?? `cannot read ${shown}: ${message}` };
  }
  const stat = await handle.stat();
  if (stat.isFile()) return { ok: true, handle, stat };
  await handle.close();
  const message = stat.isDirectory()
    ? `${shown} is a directory. List its files instead.`
    : `cannot read ${shown}: it is a device, pipe or socket, not a regular file.`;
  return { ok: false, missing: false, message };
}

const reasons: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `${path} does not exist.`,
  ENOTDIR: (path) => `${path} does not exist: a part of the path is a file, not a directory.`,
  EACCES: (path) => `cannot read ${path}: permission denied.`,
  EISDIR: (path) => `${path} is a directory. List its files instead.`,
  ENXIO: (path) => `cannot read ${path}: it is a device, pipe or socket, not a regular file.`,
  ELOOP: (path) => `cannot read ${path}: its links form a loop.`,
  ENAMETOOLONG: (path) => `cannot read ${path.slice(0, 200)}…: the name is too long.`,
};

export const digestOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
