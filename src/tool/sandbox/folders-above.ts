import { dirname } from "node:path";
import { isInside } from "../../platform/index.ts";

export interface AboveBounds {
  /** The folders to stay below. */
  readonly inside: readonly string[];
  /** Nothing in these is returned. */
  readonly except: readonly string[];
}

/**
 * Returns the folders between these paths and the folders that a command may write. Moving one of them away would free
 * the path for other content.
 */
export function foldersAbove(paths: readonly string[], { inside, except }: AboveBounds): readonly string[] {
  const found = new Set<string>();
  const isBelow = (path: string) => inside.some((folder) => path !== folder && isInside(path, folder));
  for (const path of paths) {
    for (let folder = dirname(path); isBelow(folder) && !found.has(folder); folder = dirname(folder)) found.add(folder);
  }
  return [...found].filter((folder) => !except.some((path) => isInside(folder, path)));
}
