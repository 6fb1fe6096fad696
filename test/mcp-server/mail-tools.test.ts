import { expect, onTestFinished, test } from "vitest";
import { createMailTools } from "../../src/mcp-server/mail-tools.ts";
import { joinAsExternal } from "../../src/mcp-server/external-member.ts";
import { createIdFactory, systemClock } from "../../src/platform/index.ts";
import { openTeamStore } from "../../src/store/index.ts";
import { openMailbox } from "../../src/team/index.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";

test("a wait cancelled at the last moment delivers nothing; the next call delivers the mail", async () => {
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
  // Aborts when mail has arrived and the member works again, just before the mail is delivered.
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
