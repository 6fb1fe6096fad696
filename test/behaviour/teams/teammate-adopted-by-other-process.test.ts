import { expect, onTestFinished, test } from "vitest";
import { identifyProcess, systemClock } from "../../../src/platform/index.ts";
import { createPresence } from "../../../src/store/team/presence/file-presence.ts";
import { alpha, filesOf, inState, leading, mate, membersOf } from "../../support/team/scripted-team.ts";

test("teammate that another process has adopted stops and writes nothing more", async () => {
  const team = await alpha({ answer: leading([{ calls: [mate("scout")] }], () => ({ text: "ready" })) });
  await team.ask("go");
  await inState(team, "scout", "idle");
  const { inbox } = await filesOf(team.tree);
  await expect(inbox("scout").openReader()).rejects.toThrow();
  // A process that lives all the time: the test runner.
  const owner = identifyProcess(process.ppid);
  if (!owner) throw new Error("the process that has started this one is not there");
  // The clock of a process that looks after the first one was silent for longer than its lease.
  const uptime = () => Number(process.hrtime.bigint() / 1_000_000n) + 11_000;
  const folder = team.tree.path("home/.troupe/teams/alpha/presence");
  const other = createPresence({ folder, clock: systemClock, owner, uptime, beatMs: 60_000 });
  onTestFinished(() => other.close());
  await other.announce("scout", "working", "other process");
  await expect
    .poll(() =>
      inbox("scout")
        .openReader()
        .catch(() => undefined),
    )
    .toBeDefined();
  expect(await other.look("scout")).toMatchObject({ state: "working", detail: "other process", pid: process.ppid });
  expect((await membersOf(team.tree))[0]?.ended).toBeUndefined();
});
