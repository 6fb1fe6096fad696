import { open, rm } from "node:fs/promises";
import { type Clock, hasErrorCode, storageError } from "../platform/index.ts";

/**
 * Writes a new file under the first free name of `path`, `path-2`, `path-3`…, with `extension` at the end. The file
 * appears whole or not at all.
 */
export async function writeToFreeName(
  path: string,
  { data, extension = "" }: { readonly data: string | Uint8Array; readonly extension?: string },
): Promise<string> {
  for (let count = 1; ; count++) {
    const name = `${path}${count === 1 ? "" : `-${count}`}${extension}`;
    try {
      const file = await open(name, "wx", 0o600);
      try {
        await file.writeFile(data);
        await file.sync();
      } catch (error) {
        await rm(name, { force: true });
        throw error;
      } finally {
        await file.close();
      }
      return name;
    } catch (error) {
      if (!hasErrorCode(error, "EEXIST")) throw storageError("write", name, error);
    }
  }
}

/** Formats the time for a file name. */
export const timeForFileName = (clock: Pick<Clock, "now">): string =>
  new Date(clock.now()).toISOString().replaceAll(/[:.]/g, "-");
