import { execFileSync } from "node:child_process";
import { describe, expect, it, onTestFinished } from "vitest";
import { buildProgram } from "../support/processes/build-program.ts";
import { needUserNamespaces } from "../support/processes/required-tools.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";

describe("full disk", () => {
  it("rejects an event without a trace, and stores it under the same number once there is space", async () => {
    needUserNamespaces();
    const program = await buildProgram("fill-disk-with-events.ts");
    onTestFinished(() => program.remove());
    const script = 'mount -t tmpfs -o size=64k none "$2" && exec "$0" "$1" "$2"';
    const args = ["-Urm", "sh", "-c", script, process.execPath, program.path, temporaryFolder()];
    const result = JSON.parse(execFileSync("unshare", args, { encoding: "utf8" })) as unknown;
    expect(result).toEqual({
      full: "storage ENOSPC",
      again: "storage ENOSPC",
      seenWhenFull: true,
      sameNumber: true,
      reopened: true,
      sharedFailure: "storage ENOSPC",
      shared: true,
    });
  });
});
