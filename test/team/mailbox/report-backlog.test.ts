import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { itemsOf } from "../../../src/view/index.ts";
import { comesTo, mailOf, noticesOf } from "../../support/mail/session-mailbox.ts";
import { alpha, leading, mate, report } from "../../support/team/scripted-team.ts";
import type { Ask } from "../../../src/testing.ts";
import { gate, type TeamSession, textOf } from "../../support/team/team-session.ts";

/** `busy` works until released: the lead is not woken, and the reports of `scout` wait. */
const members = (busy: ReturnType<typeof gate>) => async (ask: Ask) => {
  if (ask.agent.startsWith("busy")) await busy.opened;
  return { text: `done with ${/part \d+/.exec(ask.said)?.[0] ?? "nothing"}` };
};

const isReport = (event: { type: string; kind?: string; from?: string }) =>
  event.type === "mail.received" && event.kind === "idle_notification" && event.from === "scout";

async function reportOn(team: TeamSession, parts: readonly number[]): Promise<void> {
  for (const part of parts) {
    await team.command({ type: "mail.send", team: "alpha", to: "scout", text: `part ${part}` });
    await team.until(report(new RegExp(`done with part ${part}\\b`)));
  }
}

test("only the last unread reports of a teammate wait, also after a resume, and name the others", async () => {
  const [woken, busy] = [gate(), gate()];
  // Reports wait for the idle team, however long that takes.
  const settings = { teams: { gatherMs: 3_600_000 } };
  const start = [{ calls: [mate("scout"), mate("busy")] }, { text: "waiting" }];
  const first = await alpha({ answer: leading(start, members(gate())), settings });
  void first.ask("go");
  await first.until(isReport);
  await reportOn(first, [1, 2, 3, 4, 5]);
  await first.close();

  const { tree } = first;
  const steps = [() => (woken.open(), { text: "heard" })];
  const team = await alpha({ tree, resume: first.session.id, answer: leading(steps, members(busy)) });
  await reportOn(team, [6, 7, 8, 9, 10]);
  const lead = [...itemsOf(team.session.view().agents)].find(({ path }) => path === "lead");
  const waits = lead?.waitingPrompts.filter(({ parts }) => JSON.stringify(parts).includes("scout is idle"));
  expect(waits).toHaveLength(8);
  busy.open();
  await woken.opened;
  await team.session.settled();

  const told = textOf(team.asked("lead").at(-1)?.request.messages ?? []);
  const [, file = ""] = /Earlier reports of scout that you have not read are in (\S+),/.exec(told) ?? [];
  const everything = readFileSync(file, "utf8") + told;
  for (let part = 1; part <= 10; part++)
    expect(everything.match(new RegExp(`done with part ${part}\\b`, "g")), `part ${part}`).toHaveLength(1);
  expect(told).toContain("done with part 10");
  const mail = await mailOf(tree);
  for (const { id } of await noticesOf(mail)) await comesTo(mail, { id, to: "team-lead", state: "read" });
});
