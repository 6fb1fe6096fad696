import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { runTeammate } from "../../../src/session/index.ts";

/**
 * run-teammate CWD TEAM NAME [STEP]: runs that member. It is killed instead of its write number STEP to an inbox, or of
 * mail state to its log.
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
  const isStep = path.includes("/inboxes/") ? !path.endsWith(".reader.jsonl") : steppedTo.test(more[0]);
  if (isStep && ++steps === Number(step)) process.kill(process.pid, "SIGKILL");
  return writeSync(fd, ...more);
}) as typeof fs.writeSync;
syncBuiltinESMExports();

setInterval(() => undefined, 60_000);
await runTeammate({ team, name, cwd, env: process.env });
