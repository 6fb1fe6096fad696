import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { basename } from "node:path";
import { type Clock, storageError } from "../platform/index.ts";
import { timeForFileName, writeToFreeName } from "./write-to-free-name.ts";

/**
 * Takes the torn last record off a log, after a copy of it is safe beside it. Nobody was ever told that it was stored.
 * Gives the notice for the user.
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
      return `${path}: its last record was cut short by a crash (${tail.length} bytes); it is in ${basename(copy)} now.`;
    } finally {
      await file.close();
    }
  } catch (error) {
    throw storageError("repair the end of", path, error);
  }
}
