import { closeSync, openSync, writeSync } from "node:fs";
import { watch } from "node:fs";
import { dirname } from "node:path";
import { createFolderWatcher } from "../../../src/platform/index.ts";

/** follow-file PATH free|held|starved: prints each change. `starved` has no descriptor left for a watch. */
const [path = "", how = ""] = process.argv.slice(2);
const say = (word: string) => writeSync(1, `${word}\n`);
const watcher = createFolderWatcher({ rescanMs: 50 });
if (how === "starved") {
  const taken: number[] = [];
  try {
    for (;;) taken.push(openSync("/dev/null", "r"));
  } catch {
    try {
      watch(dirname(path)).close();
    } catch {
      say("no watch");
    }
  }
  follow(() => {
    for (const fd of taken) closeSync(fd);
  });
} else {
  say("following");
  if (how === "held") follow(() => undefined);
  else watcher.follow(path, () => undefined);
}

/** Until the first change. */
function follow(after: () => void): void {
  const release = watcher.hold();
  const stop = watcher.follow(path, () => {
    say("hint");
    after();
    stop();
    release();
  });
}
