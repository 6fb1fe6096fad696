import { randomBytes } from "node:crypto";
import { closeSync, constants, openSync } from "node:fs";
import { chmod, lstat, mkdtemp, readdir, readlink, rm, rmdir, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { hasErrorCode, makeFolder, storageError } from "../../platform/index.ts";
import { SessionId, TroupeError } from "../../protocol/index.ts";

/** The folder of the session sockets. */
export const socketsFolder = (home: string): string => join(home, "run");

/** A parsed socket name. Names are never reused, so any process may remove a socket that no process listens on. */
export interface SocketName {
  readonly name: string;
  readonly session: SessionId;
  readonly pid: number;
}

export const newSocketName = (session: SessionId, pid: number): string =>
  `${session}.${pid.toString(36)}-${randomBytes(3).toString("hex")}`;

/** Returns undefined if the name is not a socket name. */
export function parseSocketName(name: string): SocketName | undefined {
  const [, id, pid] = /^(ses_[0-9a-z]+)\.([0-9a-z]{1,8})-[0-9a-f]{6}$/.exec(name) ?? [];
  const session = SessionId.safeParse(id);
  return session.success && pid !== undefined ? { name, session: session.data, pid: parseInt(pid, 36) } : undefined;
}

/** Lists all sockets, including stale ones. */
export async function listSockets(home: string): Promise<SocketName[]> {
  try {
    return (await readdir(socketsFolder(home))).flatMap((name) => parseSocketName(name) ?? []);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return [];
    throw storageError("read the folder", socketsFolder(home), error);
  }
}

/** Creates the folder, or checks that the current user owns it and no other user can access it. */
export async function makeSocketsFolder(home: string): Promise<string> {
  const folder = await makeFolder(socketsFolder(home));
  const stats = await lstat(folder);
  const ownUid = process.getuid?.();
  if (!stats.isDirectory() || (ownUid !== undefined && stats.uid !== ownUid))
    throw new TroupeError("home", `${folder} must be a folder of the current user. Move it out of the way.`);
  if ((stats.mode & 0o077) !== 0) await chmod(folder, 0o700);
  return folder;
}

/** A path that fits into a socket address until it is released. */
export interface SocketPath {
  readonly path: string;
  release(): void;
}

/** The shortest limit of all supported systems: 104 bytes including the final zero. */
const maxPathBytes = 103;
const fits = (path: string) => Buffer.byteLength(path) <= maxPathBytes;

/** Returns the path to bind a new socket named `name`. If `isLinked` is true, the folder needs a link to it. */
export async function pathToBind(folder: string, name: string): Promise<SocketPath & { readonly isLinked: boolean }> {
  const direct = shortPath(folder, name);
  if (direct) return { ...direct, isLinked: false };
  const path = join(await mkdtemp(join(tmpdir(), "troupe-")), "s");
  if (!fits(path))
    throw new TroupeError(
      "home",
      `cannot create a socket: the path ${path} is too long. Set TMPDIR to a shorter path.`,
    );
  return { path, isLinked: true, release: () => undefined };
}

/** Returns the path to connect to, or undefined if it is gone or not a socket. */
export async function pathToConnect(folder: string, name: string): Promise<SocketPath | undefined> {
  try {
    const stats = await lstat(join(folder, name));
    if (stats.isSymbolicLink()) return { path: await readlink(join(folder, name)), release: () => undefined };
    return stats.isSocket() ? shortPath(folder, name) : undefined;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw storageError("read", join(folder, name), error);
  }
}

/** On Linux, every open folder has a short path. On other systems a long path cannot be shortened. */
function shortPath(folder: string, name: string): SocketPath | undefined {
  const path = join(folder, name);
  if (fits(path)) return { path, release: () => undefined };
  if (process.platform !== "linux") return undefined;
  const fd = openSync(folder, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0));
  return { path: `/proc/self/fd/${fd}/${name}`, release: () => closeSync(fd) };
}

export const linkSocket = (target: string, folder: string, name: string): Promise<void> =>
  symlink(target, join(folder, name));

/** Removes a socket, and the target if it is a link. */
export async function removeSocket(folder: string, name: string): Promise<void> {
  const path = join(folder, name);
  const target = await readlink(path).catch(() => undefined); // most sockets are not links
  await rm(path, { force: true });
  if (target === undefined || !/\/troupe-\w{6}\/s$/.test(target)) return;
  await rm(target, { force: true });
  await rmdir(dirname(target)).catch((error: unknown) => {
    if (!hasErrorCode(error, "ENOENT", "ENOTEMPTY")) throw error;
  });
}
