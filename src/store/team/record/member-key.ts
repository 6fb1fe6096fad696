import { randomBytes } from "node:crypto";
import { readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { createExclusive, hasErrorCode, safeName, storageError } from "../../../platform/index.ts";
import { messageOf } from "../../../protocol/index.ts";

export interface MemberKeyOptions {
  readonly folder: string;
  /** Called when a damaged key was replaced. Without it a damaged key is an error. */
  readonly onReplaced?: ((notice: string) => void) | undefined;
}

/** Returns the member's secret. It is created at first use, and again in place of a damaged one. */
export async function memberKey(name: string, { folder, onReplaced }: MemberKeyOptions): Promise<Uint8Array> {
  const path = join(folder, safeName(name));
  const known = await readKey(path);
  if (known instanceof Uint8Array) return known;
  if (known !== undefined && onReplaced === undefined)
    throw storageError("use", path, new Error(`${known.damage}; remove it, and a new one is created`));
  if (known !== undefined) onReplaced?.(await setAside(path, { name, damage: known.damage }));
  await createExclusive(path, randomBytes(32).toString("hex"));
  const made = await readKey(path);
  if (made instanceof Uint8Array) return made;
  throw storageError("read", path, new Error(made?.damage ?? "it was removed right after it was created"));
}

interface Damage {
  readonly damage: string;
}

async function readKey(path: string): Promise<Uint8Array | Damage | undefined> {
  try {
    const text = (await readFile(path, "utf8")).trim();
    return /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, "hex") : { damage: "it is not a key" };
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return undefined;
    if (hasErrorCode(error, "EISDIR", "ELOOP", "EACCES")) return { damage: messageOf(error) };
    throw storageError("read", path, error);
  }
}

/** Renames the damaged file. Another process may have replaced it a moment ago: then its key stays. */
async function setAside(path: string, { name, damage }: Damage & { readonly name: string }): Promise<string> {
  const aside = `${path}.bad-${randomBytes(6).toString("hex")}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) throw storageError("replace", path, error);
  }
  const moved = await readKey(aside);
  if (moved instanceof Uint8Array) await createExclusive(path, Buffer.from(moved).toString("hex"));
  return `The key of ${name} was damaged (${path}: ${damage}) and is replaced. Its earlier mail is shown as not verified, and its open requests must be sent again.`;
}
