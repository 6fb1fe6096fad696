import { readFileSync } from "node:fs";

/**
 * Returns the line numbers, from 1, that begin at these byte offsets, for messages to people. `places` must be in
 * order.
 */
export function lineNumbersAt(path: string, places: readonly { readonly offset: number }[]): number[] {
  const bytes = readFileSync(path);
  let line = 1;
  let next = bytes.indexOf(0x0a);
  return places.map(({ offset }) => {
    for (; next !== -1 && next < offset; next = bytes.indexOf(0x0a, next + 1)) line += 1;
    return line;
  });
}

export const lineNumberAt = (path: string, offset: number): number => lineNumbersAt(path, [{ offset }])[0] ?? 1;
