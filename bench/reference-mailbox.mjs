import { mkdirSync, readFileSync, rmdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** The comparison for Troupe's mail: one JSON array for each inbox, rewritten under a lock, read without one. */
export function openReference(path) {
  const read = () => {
    try {
      return JSON.parse(readFileSync(path, "utf8"));
    } catch (error) {
      // Missing or being written: a property of this design.
      if (error.code === "ENOENT" || error instanceof SyntaxError) return [];
      throw error;
    }
  };

  const change = async (alter) => {
    for (let wait = 5; ; wait = Math.min(wait * 2, 100)) {
      try {
        mkdirSync(`${path}.lock`);
        break;
      } catch (error) {
        if (error.code !== "EEXIST") throw error;
        await sleep(wait);
      }
    }
    try {
      await writeFile(path, JSON.stringify(alter(read()), null, 2));
    } finally {
      rmdirSync(`${path}.lock`);
    }
  };

  return {
    read,
    send: (text) => change((mail) => [...mail, { text, timestamp: new Date().toISOString(), read: false }]),
    markRead: () => change((mail) => mail.map((one) => ({ ...one, read: true }))),
  };
}
