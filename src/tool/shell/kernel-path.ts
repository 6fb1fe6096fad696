import { dirname, join, resolve } from "node:path";
import type { Disk } from "../permissions/disk.ts";

/** Returns the path that the shell's own `cd` reads from a text: `..` removes the part before it. */
export const shellPath = (folder: string, text: string): string => resolve(folder, text);

/**
 * Returns the real path that the kernel opens for a text in a folder. Every part is followed before the next one, so that
 * `..` after a link leaves the folder that the link leads to.
 */
export function kernelPath(folder: string, text: string, { realPath }: Pick<Disk, "realPath">): string {
  const parts = text.split("/");
  if (!parts.includes("..")) return realPath(resolve(realPath(folder), text));
  let at = text.startsWith("/") ? "/" : realPath(folder);
  for (const part of parts) {
    if (part === "" || part === ".") continue;
    at = part === ".." ? dirname(at) : realPath(join(at, part));
  }
  return at;
}
