import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { hasErrorCode } from "../../platform/index.ts";
import type { Conflict } from "./describe-conflict.ts";

/** Returns the places of conflict markers that are still in the files, such as `src/a.ts, line 12`. */
export async function leftMarkers({ path, files }: Pick<Conflict, "path" | "files">): Promise<readonly string[]> {
  const found: string[] = [];
  for (const file of files) {
    const lines = (await readIfThere(join(path, file))).split("\n");
    found.push(...lines.flatMap((line, index) => (isMarker(line) ? [`${file}, line ${index + 1}`] : [])));
  }
  return found;
}

const isMarker = (line: string) => /^(<{7}|>{7}) /.test(line);

/** Removing the file is a valid resolution. */
async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return "";
    throw error;
  }
}
