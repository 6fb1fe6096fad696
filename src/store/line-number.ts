import { closeSync, openSync, readSync } from "node:fs";

/**
 * Returns the line numbers, from 1, that begin at these byte offsets, for messages to people. `places` must be in
 * order.
 */
export function lineNumbersAt(path: string, places: readonly { readonly offset: number }[]): number[] {
  const fd = openSync(path, "r");
  try {
    const chunk = Buffer.allocUnsafe(1 << 20);
    let line = 1;
    let read = 0;
    return places.map(({ offset }) => {
      while (read < offset) {
        const count = readSync(fd, chunk, 0, Math.min(chunk.length, offset - read), read);
        if (count === 0) break;
        for (let at = chunk.indexOf(0x0a); at !== -1 && at < count; at = chunk.indexOf(0x0a, at + 1)) line += 1;
        read += count;
      }
      return line;
    });
  } finally {
    closeSync(fd);
  }
}

export const lineNumberAt = (path: string, offset: number): number => lineNumbersAt(path, [{ offset }])[0] ?? 1;
