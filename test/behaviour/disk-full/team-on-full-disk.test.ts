import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { buildProgram } from "../../support/processes/build-program.ts";
import { needUserNamespaces } from "../../support/processes/required-tools.ts";
import { tempTree } from "../../support/files/temp-tree.ts";

async function onSmallDisk(entry: string, ...args: readonly string[]): Promise<unknown> {
  needUserNamespaces();
  const program = await buildProgram(entry);
  onTestFinished(() => program.remove());
  const script =
    'program="$1"; disk="$2"; shift 2; mount -t tmpfs -o size=4m none "$disk" && exec "$0" "$program" "$disk" "$@"';
  const folder = tempTree({ "here/.keep": "" }).path("here");
  const words = ["-Urm", "sh", "-c", script, process.execPath, program.path, folder, ...args];
  const { stdout } = await promisify(execFile)("unshare", words, { timeout: 240_000, killSignal: "SIGKILL" });
  return JSON.parse(stdout);
}

test("a full disk breaks nobody in a team: with space again the report arrives", async () => {
  expect(await onSmallDisk("team-on-full-disk.ts")).toEqual({ heard: true, broken: [] });
});

test("a teammate that is ended on a full disk has ended once there is space, its task is free, and its lead goes on", async () => {
  expect(await onSmallDisk("end-teammate-on-full-disk.ts")).toMatchObject({
    ack: { ok: true },
    ended: "killed",
    task: "pending",
    broken: [],
  });
});

test("a team on a full disk can be closed, and is there again with space", async () => {
  const { ended, broken } = (await onSmallDisk("end-teammate-on-full-disk.ts", "close")) as {
    ended?: string;
    broken: string[];
  };
  expect({ ended, broken }).toEqual({ ended: undefined, broken: [] });
});
