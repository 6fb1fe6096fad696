import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { digestOf } from "./read-file.ts";
import type { FileVersion } from "./file-tracker.ts";

/**
 * Puts `bytes` in place of the file at `path` (real: links followed), all or nothing, keeping its mode. Readers see the
 * old or the new, never half. A file with several names, or of another owner, is written in place instead: a new file
 * would part it from its other names or its owner.
 */
export async function replaceFile(path: string, bytes: Uint8Array): Promise<FileVersion> {
  await mkdir(dirname(path), { recursive: true });
  const old = await statIfThere(path);
  if (old && !old.isFile()) throw new Error(`${path} is not a regular file`);
  if (old && (old.nlink > 1 || old.uid !== process.getuid?.())) await writeInPlace(path, bytes);
  else await writeAside(path, bytes, old?.mode);
  return { mtimeMs: (await stat(path)).mtimeMs, digest: digestOf(bytes) };
}

async function writeAside(path: string, bytes: Uint8Array, mode: number | undefined): Promise<void> {
  const aside = join(dirname(path), `.${basename(path).slice(0, 100)}.${randomUUID().slice(0, 8)}.tmp`);
  const handle = await open(aside, "wx", 0o666);
  try {
    try {
      await handle.writeFile(bytes);
      if (mode !== undefined) await handle.chmod(mode & 0o7777);
    } finally {
      await handle.close();
    }
    await rename(aside, path);
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
}

async function writeInPlace(path: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(path, constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    await handle.writeFile(bytes);
    await handle.truncate(bytes.length);
  } finally {
    await handle.close();
  }
}

async function statIfThere(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
