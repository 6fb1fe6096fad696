import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { hasErrorCode } from "../../platform/index.ts";
import { messageOf } from "../../protocol/index.ts";

export type BoundedFile =
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable"; readonly reason: string }
  | { readonly kind: "read"; readonly bytes: Uint8Array; readonly size: number };

/**
 * Reads at most `limit` bytes of an untrusted file. Never blocks on a pipe, device or folder. Synchronous on purpose: a
 * start reads about a dozen such files, most of them absent.
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
