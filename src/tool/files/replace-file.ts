import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, rename, rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { openWithoutFollowingLinks, openFolderWithoutFollowingLinks, type OpenFolder } from "../../platform/index.ts";

/**
 * Replaces the file at `path` (real path) atomically and keeps its mode. Readers see the old or the new content, never
 * a mix. A file with several hard links or another owner is written in place, because a new file would lose them. All
 * work happens inside the folder that `path` names; a link that is swapped in is not followed.
 */
export async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  const folder = await openFolderWithoutFollowingLinks(dirname(path), { make: true });
  try {
    const old = await statIfThere(folder.entry(basename(path)));
    if (old && !old.isFile()) throw new Error(`cannot replace ${path}: it is not a regular file`);
    const inPlace = old && (old.nlink > 1 || old.uid !== process.getuid?.());
    if (inPlace) await writeInPlace(path, bytes);
    else await writeAside({ folder, name: basename(path), mode: old?.mode }, bytes);
  } finally {
    await folder.close();
  }
}

async function writeAside(
  { folder, name, mode }: { folder: OpenFolder; name: string; mode: number | undefined },
  bytes: Uint8Array,
): Promise<void> {
  const aside = folder.entry(`.${name.slice(0, 100)}.${randomUUID().slice(0, 8)}.tmp`);
  await folder.confirm();
  const handle = await open(aside, "wx", 0o666);
  try {
    try {
      await handle.writeFile(bytes);
      if (mode !== undefined) await handle.chmod(mode & 0o7777);
    } finally {
      await handle.close();
    }
    await folder.confirm();
    await rename(aside, folder.entry(name));
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
}

async function writeInPlace(path: string, bytes: Uint8Array): Promise<void> {
  const handle = await openWithoutFollowingLinks(path, constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    await handle.writeFile(bytes);
    await handle.truncate(bytes.length);
  } finally {
    await handle.close();
  }
}

async function statIfThere(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
