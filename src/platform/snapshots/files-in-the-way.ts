import { lstat, readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { TroupeError } from "../../protocol/index.ts";
import { toBytes, toText } from "./byte-path.ts";
import type { TreeChange } from "./snapshot-git.ts";

/**
 * Returns the files that a restore would overwrite or delete although no snapshot has them: ignored and large ones.
 * Rejects if one of them belongs to a nested repository, which git cannot keep.
 */
export async function filesInTheWay(changes: readonly TreeChange[], folder: string): Promise<string[]> {
  const found = new Set<string>();
  const parents = new Set<string>();
  for (const { status, path } of changes) {
    if (status === "D") continue;
    for (let parent = dirname(path); parent !== "."; parent = dirname(parent)) parents.add(parent);
    const kind = status === "A" ? await kindOf(folder, path) : undefined;
    if (kind === "file") found.add(path);
    if (kind === "folder") for (const inner of await filesBelow(folder, path)) found.add(inner);
  }
  for (const parent of parents) if ((await kindOf(folder, parent)) === "file") found.add(parent);
  return [...found];
}

async function kindOf(folder: string, path: string): Promise<"file" | "folder" | undefined> {
  const stats = await lstat(toBytes(folder, path)).catch(() => undefined);
  if (!stats) return undefined;
  return stats.isDirectory() ? "folder" : "file";
}

async function filesBelow(folder: string, path: string): Promise<string[]> {
  const all: string[] = [];
  for (const entry of await readdir(toBytes(folder, path), { withFileTypes: true, encoding: "buffer" })) {
    const name = entry.name.toString("latin1");
    const inner = `${path}/${name}`;
    if (name === ".git") {
      const message = `cannot restore ${toText(path)} in ${folder}: a repository is in its place. Move it away first.`;
      throw new TroupeError("checkpoint", message);
    }
    if (entry.isDirectory()) all.push(...(await filesBelow(folder, inner)));
    else all.push(inner);
  }
  return all;
}
