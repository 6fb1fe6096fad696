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

test("full disk breaks no member; the report arrives when there is space again", async () => {
  expect(await onSmallDisk("team-on-full-disk.ts")).toEqual({ heard: true, broken: [] });
});

test("teammate stopped on a full disk ends when there is space, and its task is released", async () => {
  expect(await onSmallDisk("end-teammate-on-full-disk.ts")).toMatchObject({
    ack: { ok: true },
    ended: "killed",
    task: "pending",
    broken: [],
  });
});

test("team on a full disk can be closed and opens again when there is space", async () => {
  const { ended, broken } = (await onSmallDisk("end-teammate-on-full-disk.ts", "close")) as {
    ended?: string;
    broken: string[];
  };
  expect({ ended, broken }).toEqual({ ended: undefined, broken: [] });
});
