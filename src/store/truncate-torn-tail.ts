import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { basename } from "node:path";
import { type Clock, storageError } from "../platform/index.ts";
import { timeForFileName, writeToFreeName } from "./write-to-free-name.ts";

/**
 * Removes the torn last record from a log, after saving a copy next to it. That record was never acknowledged. Returns
 * a notice for the user.
 */
export async function truncateTornTail(
  path: string,
  { from, clock }: { readonly from: number; readonly clock: Pick<Clock, "now"> },
): Promise<string> {
  try {
    const file = await open(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
    try {
      const { size } = await file.stat();
      const tail = Buffer.alloc(size - from);
      await file.read(tail, 0, tail.length, from);
      const copy = await writeToFreeName(`${path}.torn-${timeForFileName(clock)}`, { data: tail });
      await file.truncate(from);
      await file.datasync();
      return `${path}: a crash cut off the last record (${tail.length} bytes). It was moved to ${basename(copy)}.`;
    } finally {
      await file.close();
    }
  } catch (error) {
    throw storageError("repair the end of", path, error);
  }
}
