import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { startTeammate } from "../../../src/session/index.ts";

/**
 * teammate CWD TEAM NAME [STEP]: that member, until it is told to end. Instead of its write number STEP to an inbox, or
 * of what becomes of mail to its log, it is killed; it says each on a line of its own.
 */
const [cwd = "", team = "", name = "", step = "0"] = process.argv.slice(2);
const { openSync, writeSync } = fs;
const files = new Map<number, string>();
const steppedTo = /"type":"(session\.opened|prompt\.|mail\.|turn\.|agent\.idle)/;
let steps = 0;
fs.openSync = (path, ...more) => {
  const fd = openSync(path, ...more);
  files.set(fd, String(path));
  return fd;
};
fs.writeSync = ((fd: number, ...more: [string]) => {
  const path = files.get(fd) ?? "";
  const isStep = path.includes("/inboxes/") ? !path.endsWith(".reader.jsonl") : steppedTo.test(String(more[0]));
  if (isStep) {
    steps += 1;
    if (steps === Number(step)) process.kill(process.pid, "SIGKILL");
    writeSync(1, `${steps} ${path} ${String(more[0]).trim()}\n`);
  }
  return writeSync(fd, ...more);
}) as typeof fs.writeSync;
syncBuiltinESMExports();

const alive = setInterval(() => undefined, 60_000);
const teammate = await startTeammate({ team, name, cwd, env: process.env });
process.once("SIGTERM", () => void teammate.stop("rest").then(() => clearInterval(alive)));
writeSync(1, "started\n");
