import { mkdirSync, readdirSync, readlinkSync, renameSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { startSession } from "../../../src/session/start-session.ts";
import { createScriptedModel, systemClock } from "../../../src/testing.ts";
import { leading, mate } from "../../support/team/scripted-team.ts";
import { tempTree } from "../../support/files/temp-tree.ts";
import { followed } from "../../support/disk/small-disk.ts";

/** Open files of this process below this folder. */
const openBelow = (folder: string) =>
  readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return []; // closed in between
    }
  });

test.skipIf(process.platform !== "linux").each(["at once", "after it was noticed"])(
  "team whose files were deleted closes with a report and leaves nothing open: %s",
  async (when) => {
    const tree = tempTree({ "home/.troupe/settings.json": {} });
    const cwd = tree.path("project");
    mkdirSync(cwd);
    const answer = leading([{ calls: [mate("scout"), mate("tester")] }], () => ({ text: "ready" }));
    const session = await startSession({
      cwd,
      env: { HOME: tree.path("home"), PATH: process.env["PATH"], TROUPE_SANDBOX: "off" },
      flags: { permissionMode: "bypassPermissions", team: "alpha" },
      asker: "nobody",
      model: createScriptedModel(answer, { clock: systemClock, cwd }),
    });
    const { until } = followed(session);
    await session.dispatch({ type: "prompt", content: "go" });
    for (const name of ["scout", "tester"])
      await until(({ event }) => event.type === "member.changed" && event.name === name && event.state === "idle");
    renameSync(tree.path("home/.troupe"), tree.path("gone"));
    rmSync(tree.path("gone"), { recursive: true, force: true, maxRetries: 10 });
    const state = () =>
      session.settled().then(
        () => "well",
        () => "broken",
      );
    if (when !== "at once") await expect.poll(state).toBe("broken");
    await expect(session.close()).rejects.toThrow(/no longer exists|was removed while in use/);
    expect(openBelow(tree.root)).toEqual([]);
  },
);
