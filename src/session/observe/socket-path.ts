import { randomBytes } from "node:crypto";
import { closeSync, constants, openSync } from "node:fs";
import { chmod, lstat, mkdtemp, readdir, readlink, rm, rmdir, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { hasErrorCode, makeFolder, storageError } from "../../platform/index.ts";
import { SessionId, TroupeError } from "../../protocol/index.ts";

/** The folder of the sockets at which live sessions can be reached. */
export const socketsFolder = (home: string): string => join(home, "run");

/** A door as its name tells it. No name is given twice: what nobody listens at any more can be removed by anyone. */
export interface SocketName {
  readonly name: string;
  readonly session: SessionId;
  readonly pid: number;
}

export const newSocketName = (session: SessionId, pid: number): string =>
  `${session}.${pid.toString(36)}-${randomBytes(3).toString("hex")}`;

/** Undefined for what is no door. */
export function parseSocketName(name: string): SocketName | undefined {
  const [, id, pid] = /^(ses_[0-9a-z]+)\.([0-9a-z]{1,8})-[0-9a-f]{6}$/.exec(name) ?? [];
  const session = SessionId.safeParse(id);
  return session.success && pid !== undefined ? { name, session: session.data, pid: parseInt(pid, 36) } : undefined;
}

/** All that there are, of the living and of the dead. */
export async function listSockets(home: string): Promise<SocketName[]> {
  try {
    return (await readdir(socketsFolder(home))).flatMap((name) => parseSocketName(name) ?? []);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return [];
    throw storageError("read the folder", socketsFolder(home), error);
  }
}

/** Makes the folder, or makes sure that it is ours and closed to others. */
export async function makeSocketsFolder(home: string): Promise<string> {
  const folder = await makeFolder(socketsFolder(home));
  const stats = await lstat(folder);
  const ownUid = process.getuid?.();
  if (!stats.isDirectory() || (ownUid !== undefined && stats.uid !== ownUid))
    throw new TroupeError("home", `${folder} is not a folder of ours: move it away.`);
  if ((stats.mode & 0o077) !== 0) await chmod(folder, 0o700);
  return folder;
}

/** A path that fits into a socket's address, for as long as it is held. */
export interface SocketPath {
  readonly path: string;
  release(): void;
}

/** The shortest limit of the systems we run on: 104 bytes with the zero at the end. */
const maxPathBytes = 103;
const fits = (path: string) => Buffer.byteLength(path) <= maxPathBytes;

/** Where to bind a new socket that is to be known as `name` in the folder. `isAway`: it must be linked to from there. */
export async function pathToBind(folder: string, name: string): Promise<SocketPath & { readonly isLinked: boolean }> {
  const direct = shortPath(folder, name);
  if (direct) return { ...direct, isLinked: false };
  const path = join(await mkdtemp(join(tmpdir(), "troupe-")), "s");
  if (!fits(path))
    throw new TroupeError("home", `${path} is too long a path for a socket: set TMPDIR to a shorter one.`);
  return { path, isLinked: true, release: () => undefined };
}

/** Where to connect to. Undefined if it is not there any more, or is no socket. */
export async function pathToConnect(folder: string, name: string): Promise<SocketPath | undefined> {
  try {
    const stats = await lstat(join(folder, name));
    if (stats.isSymbolicLink()) return { path: await readlink(join(folder, name)), release: () => undefined };
    return stats.isSocket() ? shortPath(folder, name) : undefined;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw storageError("look at", join(folder, name), error);
  }
}

/** Linux has a short name for every open folder; elsewhere a long path has none. */
function shortPath(folder: string, name: string): SocketPath | undefined {
  const path = join(folder, name);
  if (fits(path)) return { path, release: () => undefined };
  if (process.platform !== "linux") return undefined;
  const fd = openSync(folder, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0));
  return { path: `/proc/self/fd/${fd}/${name}`, release: () => closeSync(fd) };
}

export const linkSocket = (target: string, folder: string, name: string): Promise<void> =>
  symlink(target, join(folder, name));

/** With what it leads to, if that is elsewhere. */
export async function removeSocket(folder: string, name: string): Promise<void> {
  const path = join(folder, name);
  const target = await readlink(path).catch(() => undefined); // most are no links
  await rm(path, { force: true });
  if (target === undefined || !/\/troupe-\w{6}\/s$/.test(target)) return;
  await rm(target, { force: true });
  await rmdir(dirname(target)).catch((error: unknown) => {
    if (!hasErrorCode(error, "ENOENT", "ENOTEMPTY")) throw error;
  });
}
