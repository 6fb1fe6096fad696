import { expect, onTestFinished, test } from "vitest";
import { createMailTools } from "../../src/mcp-server/mail-tools.ts";
import { joinAsExternal } from "../../src/mcp-server/external-member.ts";
import { createIdFactory, systemClock } from "../../src/platform/index.ts";
import { openTeamStore } from "../../src/store/index.ts";
import { openMailbox } from "../../src/team/index.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";

test("a wait that is cancelled in its last moment hands nothing out: the next call does not acknowledge it, and gives it", async () => {
  const ports = { clock: systemClock, createId: createIdFactory(systemClock) };
  const folder = temporaryFolder();
  const team = await openTeamStore({ home: folder, ...ports }).create({ name: "crew", cwd: folder });
  const mailbox = openMailbox(team, ports);
  const anna = await joinAsExternal(team, { name: "anna", cwd: folder, ...ports });
  onTestFinished(async () => {
    await anna.leave("rest");
    await mailbox.close();
    await team.close();
  });
  const stop = new AbortController();
  // Mail has come, it is at work again: there is only the taking left.
  const working = async () => {
    await anna.working();
    stop.abort();
  };
  const [wait] = createMailTools(() => ({ ...anna, working }));
  const call = async (signal: AbortSignal) =>
    JSON.stringify(await wait?.execute({ timeout_seconds: 60 }, { signal } as never));
  const { id } = await mailbox.send({ from: "team-lead", to: "anna", text: "do it" });
  expect(await call(stop.signal)).toContain("No mail was returned.");
  expect(await call(new AbortController().signal)).toContain("do it");
  expect(await mailbox.receipt(id, "anna")).toBe("delivered");
});
