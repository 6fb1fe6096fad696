import { readFile, writeFile } from "node:fs/promises";
import lockfile from "proper-lockfile";

/**
 * The reference design: a JSON array for each inbox, read and written as a whole under a lock by `proper-lockfile`,
 * with ten retries at 5 to 100 ms.
 */
export function openLockedArray(path) {
  const read = async () => JSON.parse(await readFile(path, "utf8"));

  const change = async (alter) => {
    const release = await lockfile.lock(path, { retries: { retries: 10, minTimeout: 5, maxTimeout: 100 } });
    try {
      await writeFile(path, JSON.stringify(alter(await read()), null, 2));
    } finally {
      await release();
    }
  };

  return {
    read,
    make: (mail = []) => writeFile(path, JSON.stringify(mail, null, 2)),
    send: (mail) => change((all) => [...all, { ...mail, timestamp: new Date().toISOString(), read: false }]),
    markRead: (count) =>
      change((all) => all.map((mail, at) => (at < all.length - count ? mail : { ...mail, read: true }))),
    /** Locks like a process that is killed before it unlocks. */
    lock: () => lockfile.lock(path),
  };
}
