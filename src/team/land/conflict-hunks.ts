import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { hasErrorCode } from "../../platform/index.ts";
import { cutAfter } from "../../protocol/index.ts";
import type { Conflict } from "./describe-conflict.ts";

const linesAround = 3;
const maxCharacters = 16_000;

/** The conflicting hunks of the files, with a few lines around each. Bounded. */
export async function conflictHunks({ path, files }: Pick<Conflict, "path" | "files">): Promise<string> {
  const hunks: string[] = [];
  for (const file of files) hunks.push(...(await hunksOf(path, file)));
  const text = hunks.join("\n\n");
  return cutAfter(text, maxCharacters, "\n[… the rest is in the files]");
}

async function hunksOf(folder: string, file: string): Promise<string[]> {
  let bytes: Buffer;
  try {
    bytes = await readFile(join(folder, file));
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "EISDIR")) return [`${file}: removed on one side`];
    throw error;
  }
  if (bytes.includes(0)) return [`${file}: not a text file`];
  const lines = bytes.toString("utf8").split("\n");
  const hunks: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    if (!lines[at]?.startsWith("<<<<<<< ")) continue;
    const end = lines.findIndex((line, index) => index > at && line.startsWith(">>>>>>> "));
    if (end < 0) break;
    const shown = lines.slice(Math.max(0, at - linesAround), end + 1 + linesAround);
    hunks.push(`${file}, line ${at + 1}:\n${shown.join("\n")}`);
    at = end;
  }
  return hunks.length > 0 ? hunks : [`${file}: no conflict markers; removed or renamed on one side`];
}
