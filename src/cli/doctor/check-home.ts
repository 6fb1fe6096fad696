import { access, constants, lstat, readdir, stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hasErrorCode } from "../../platform/index.ts";
import type { Check } from "./finding.ts";

const homeAdvice = "set TROUPE_HOME to a folder that you own";

export const homeFolder: Check = {
  name: "home",
  async find({ home }) {
    const exists = await pathExists(home);
    const place = exists ? home : await nearestFolder(home);
    if (!(await stat(place)).isDirectory()) {
      return [{ status: "problem", detail: `${place} is not a folder`, advice: homeAdvice, blocks: true }];
    }
    const { uid } = await stat(place);
    const us = process.getuid?.();
    if (exists && us !== undefined && uid !== us) {
      const detail = `${home} belongs to user ${uid}, but this process runs as user ${us}`;
      return [{ status: "problem", detail, advice: homeAdvice, blocks: true }];
    }
    const reason = await notWritableReason(place);
    if (reason !== undefined) {
      const detail = `${place} is not writable (${reason})`;
      return [{ status: "problem", detail, advice: homeAdvice, blocks: true }];
    }
    return [{ status: "ok", detail: exists ? home : `${home} (created at the first run)` }];
  },
};

const maxEntries = 20_000;

/** Sessions contain conversations and files, so only their owner may read them. */
export const homeRights: Check = {
  name: "home permissions",
  async find({ home }) {
    if (process.platform === "win32" || !(await pathExists(home))) return [];
    const loose = [home, ...(await entriesIn(home))];
    const open: string[] = [];
    for (const path of loose) {
      const { mode } = await lstat(path);
      if ((mode & 0o170000) !== constants.S_IFLNK && (mode & 0o077) !== 0) open.push(path);
    }
    const [first] = open;
    if (first === undefined) return [{ status: "ok", detail: "not accessible to other users" }];
    const more = open.length === 1 ? "" : ` and ${open.length - 1} more`;
    const detail = `${first}${more} is accessible to other users`;
    return [{ status: "problem", detail, advice: `chmod -R go= ${home}` }];
  },
};

const megabyte = 1024 * 1024;
const [littleMegabytes, tooLittleMegabytes] = [200, 10];

export const homeSpace: Check = {
  name: "free space",
  async find({ home }) {
    const place = await nearestFolder(home);
    const { bavail, bsize } = await statfs(place);
    const megabytes = Math.floor((bavail * bsize) / megabyte);
    const detail = megabytes >= 1024 ? `${(megabytes / 1024).toFixed(1)} GB` : `${megabytes} MB`;
    if (megabytes >= littleMegabytes) return [{ status: "ok", detail }];
    const blocks = megabytes < tooLittleMegabytes;
    return [{ status: "problem", detail: `${detail} in ${place}`, advice: "free some disk space", blocks }];
  },
};

async function entriesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true });
  return entries.slice(0, maxEntries).map((name) => join(folder, name));
}

/** Returns the path itself, or its nearest parent that exists. */
async function nearestFolder(path: string): Promise<string> {
  for (let place = path; ; place = dirname(place))
    if ((await pathExists(place)) || place === dirname(place)) return place;
}

async function pathExists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return false;
    throw error;
  }
}

async function notWritableReason(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    if (hasErrorCode(error, "EACCES", "EROFS", "EPERM")) return error.code;
    throw error;
  }
}
