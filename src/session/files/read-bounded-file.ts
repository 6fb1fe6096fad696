import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { hasErrorCode } from "../../platform/index.ts";
import { messageOf } from "../../protocol/index.ts";

export type BoundedFile =
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable"; readonly reason: string }
  | { readonly kind: "read"; readonly bytes: Uint8Array; readonly size: number };

/**
 * Reads at most `limit` bytes of an untrusted file. Never blocks on a pipe, device or folder. An empty folder counts as
 * absent: the sandbox puts one in place of a missing file while a command runs, and it stays if the program is killed.
 * Synchronous on purpose: a start reads about a dozen such files, most of them absent.
 */
export function readBoundedFile(path: string, limit: number): BoundedFile {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return { kind: "absent" };
    return { kind: "unreadable", reason: messageOf(error) };
  }
  try {
    const stats = fstatSync(descriptor);
    if (stats.isDirectory() && readdirSync(path).length === 0) return { kind: "absent" };
    if (!stats.isFile()) return { kind: "unreadable", reason: "it is not a regular file" };
    const bytes = new Uint8Array(Math.min(limit, stats.size));
    let filled = 0;
    while (filled < bytes.length) {
      const count = readSync(descriptor, bytes, filled, bytes.length - filled, null);
      if (count === 0) break;
      filled += count;
    }
    return { kind: "read", bytes: bytes.subarray(0, filled), size: stats.size };
  } catch (error) {
    return { kind: "unreadable", reason: messageOf(error) };
  } finally {
    closeSync(descriptor);
  }
}
