import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { hasErrorCode, safeName, storageError, createExclusive } from "../../../platform/index.ts";

/** Returns the member's secret. It is created once, at first use. */
export async function memberKey(folder: string, name: string): Promise<Uint8Array> {
  const path = join(folder, safeName(name));
  const known = await readKey(path);
  if (known !== undefined) return known;
  await createExclusive(path, randomBytes(32).toString("hex"));
  const made = await readKey(path);
  if (made === undefined) throw storageError("read", path, new Error("it was removed right after it was created"));
  return made;
}

async function readKey(path: string): Promise<Uint8Array | undefined> {
  try {
    const text = (await readFile(path, "utf8")).trim();
    if (/^[0-9a-f]{64}$/.test(text)) return Buffer.from(text, "hex");
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return undefined;
    throw storageError("read", path, error);
  }
  throw storageError("use", path, new Error("it is not a key; remove it, and a new one is created"));
}
