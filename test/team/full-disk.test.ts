import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { buildProgram } from "../platform/build-program.ts";
import { needUserNamespaces } from "../platform/need-program.ts";
import { tempTree } from "../session/temp-tree.ts";

test("a full disk breaks nobody in a team: with space again the report arrives", async () => {
  needUserNamespaces();
  const program = await buildProgram("team/programs/team-on-full-disk.ts");
  onTestFinished(() => program.remove());
  const script = 'mount -t tmpfs -o size=4m none "$2" && exec "$0" "$1" "$2"';
  const folder = tempTree({ "here/.keep": "" }).path("here");
  const args = ["-Urm", "sh", "-c", script, process.execPath, program.path, folder];
  const { stdout } = await promisify(execFile)("unshare", args, { timeout: 40_000, killSignal: "SIGKILL" });
  expect(JSON.parse(stdout)).toEqual({ heard: true, broken: [] });
}, 60_000);
