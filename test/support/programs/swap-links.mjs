// Swaps a folder and a file for links to targets outside, as fast as it can. Arguments: folder, outside, count.
import { renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";

const [folder, outside, times] = process.argv.slice(2);
const swaps = [
  { at: join(folder, "dir"), to: outside },
  { at: join(folder, "file.txt"), to: join(outside, "secret.txt") },
];

/** Ignores a failure: the tools under test create files and folders there at the same time and may be faster. */
function attempt(action) {
  try {
    action();
  } catch (error) {
    if (!["EEXIST", "ENOENT", "ENOTEMPTY", "EISDIR", "ENOTDIR"].includes(error.code)) throw error;
  }
}

process.stdout.write("ready\n");
for (let round = 0; round < Number(times); round++) {
  const { at, to } = swaps[round % swaps.length];
  const away = `${at}.away`;
  attempt(() => renameSync(at, away));
  attempt(() => symlinkSync(to, at));
  attempt(() => rmSync(at, { recursive: true, force: true }));
  attempt(() => renameSync(away, at));
  attempt(() => rmSync(away, { recursive: true, force: true }));
}
