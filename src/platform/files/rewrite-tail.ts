import { closeSync, openSync, readSync, writeSync } from "node:fs";

/**
 * Overwrites the content of a file with itself, from an offset on. No other process may write to it at the same time.
 */
export function rewriteTail(path: string, offset: number): void {
  const fd = openSync(path, "r+");
  try {
    const bytes = Buffer.alloc(64 * 1024);
    for (let at = offset, count = 1; count > 0; at += count) {
      count = readSync(fd, bytes, 0, bytes.length, at);
      for (let written = 0; written < count; ) written += writeSync(fd, bytes, written, count - written, at + written);
    }
  } finally {
    closeSync(fd);
  }
}
