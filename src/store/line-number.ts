import { readFileSync } from "node:fs";

/** For messages to people: which lines of the file begin at these bytes, counted from 1. `places` are in order. */
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
