import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { hasErrorCode } from "../../platform/index.ts";

/** Changes when the path changes: a file's content, a link's target, or the names, sizes and times in a folder. */
export async function fingerprint(path: string): Promise<string | undefined> {
  try {
    const stats = await lstat(path);
    if (stats.isSymbolicLink()) return `-> ${await readlink(path)}`;
    const hash = createHash("sha256");
    if (stats.isDirectory()) await addFolder(hash, path, "");
    else if (stats.isFile()) await pipeline(createReadStream(path), hash, { end: false });
    return hash.digest("hex");
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

async function addFolder(hash: Hash, folder: string, inside: string): Promise<void> {
  for (const name of (await readdir(folder)).sort()) {
    const path = join(folder, name);
    const stats = await lstat(path);
    const what = stats.isSymbolicLink()
      ? await readlink(path)
      : stats.isDirectory()
        ? ""
        : `${stats.size} ${stats.mtimeMs}`;
    hash.update(`${inside}/${name}\0${what}\0`);
    if (stats.isDirectory()) await addFolder(hash, path, `${inside}/${name}`);
  }
}
