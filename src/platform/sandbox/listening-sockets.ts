import { readFileSync } from "node:fs";
import { isAbsolute } from "node:path";
import { hasErrorCode } from "../files/storage-error.ts";

/**
 * Returns the paths of all unix sockets of this machine that listen or take single messages: a read-only disk does not
 * prevent connections to them. Empty if the system does not list them.
 */
export function listeningSockets(table = "/proc/net/unix"): readonly string[] {
  let text: string;
  try {
    text = readFileSync(table, "utf8");
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "EACCES")) return [];
    throw error;
  }
  const paths = text.split("\n").flatMap((line) => {
    // Num RefCount Protocol Flags Type St Inode Path; the flag 0x10000 marks a listener, the type 2 single messages.
    const [, flags = "0", type, path] = /^\S+: \S+ \S+ (\S+) (\S+) \S+ +\S+ (.+)$/.exec(line) ?? [];
    const listens = (Number.parseInt(flags, 16) & 0x10000) !== 0 || type === "0002";
    return listens && path !== undefined && isAbsolute(path) ? [path] : [];
  });
  return [...new Set(paths)];
}
