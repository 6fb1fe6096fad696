import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { hasErrorCode, readRegularFileSync, realPathSync } from "../../platform/index.ts";

/** A branch or tag that git keeps in one file with others. */
export interface PackedRef {
  readonly name: string;
  readonly id: string;
}

/** Returns the packed refs whose names begin with these characters. */
export function packedRefs(common: string, start: string): PackedRef[] {
  const text = readRegularFileSync(join(common, "packed-refs")) ?? "";
  return text.split("\n").flatMap((line) => {
    const [id = "", name = ""] = line.split(" ");
    return name.startsWith(start) && /^[0-9a-f]+$/.test(id) ? [{ id, name }] : [];
  });
}

/**
 * Gives a packed ref a separate file with the same value, under git's lock. Returns false if the lock is taken, or if a
 * folder on the way is a link.
 */
export function unpackRef(common: string, { name, id }: PackedRef): boolean {
  const path = join(common, name);
  if (isThere(path)) return true;
  if (realPathSync(dirname(path)) !== dirname(path)) return false;
  const lock = `${path}.lock`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(lock, `${id}\n`, { flag: "wx" });
  } catch (error) {
    if (hasErrorCode(error, "EEXIST", "ENOTDIR")) return false;
    throw error;
  }
  const isSame = !isThere(path) && packedRefs(common, name).some((ref) => ref.name === name && ref.id === id);
  if (isSame) renameSync(lock, path);
  else rmSync(lock);
  return isSame || isThere(path);
}

const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
