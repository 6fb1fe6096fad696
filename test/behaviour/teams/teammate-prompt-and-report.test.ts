import { expect, test } from "vitest";
import { mailOf } from "../../support/mail/session-mailbox.ts";
import { alpha, leading, mate, report } from "../../support/team/scripted-team.ts";
import { teamSession } from "../../support/team/team-session.ts";

test("teammate gets its prompt as mail, works, and its answer reaches the lead unasked", async () => {
  const team = await teamSession({
    stored: true,
    flags: { team: "alpha", permissionMode: "bypassPermissions" },
    answer: (ask) => {
      if (ask.agent === "scout@alpha") return { text: "the parser is in src/parse.ts" };
      if (ask.turn === 1)
        return { calls: [{ tool: "Agent", input: { description: "look", prompt: "find the parser", name: "scout" } }] };
      return { text: `turn ${ask.turn}: ${ask.said.includes("src/parse.ts") ? "heard" : "waiting"}` };
    },
  });
  await team.ask("go");
  await team.until((event) => event.type === "turn.ended" && JSON.stringify(event.parts).includes("heard"));
  expect(team.asked("scout@alpha")[0]?.said).toContain("find the parser");
});

test("teammate's mail is marked as read when its report arrives, so none counts as pending", async () => {
  const team = await alpha({
    answer: leading([{ calls: [mate("scout")] }, { text: "waiting" }], () => ({ text: "done" })),
  });
  const mail = await mailOf(team.tree);
  const reported = async () => {
    for await (const { body } of mail.watch("team-lead"))
      if (body.kind === "idle_notification") return mail.readUnread("scout");
    return undefined;
  };
  const left = reported();
  await team.ask("go");
  expect(await left).toEqual([]);
});

test("report of a teammate that stops with its task in progress says so", async () => {
  const build = { tool: "TaskCreate", input: { subject: "build", description: "build it", owner: "scout" } };
  const team = await alpha({
    answer: leading([{ calls: [build] }, { calls: [mate("scout")] }, { text: "waiting" }], () => ({
      text: "half done",
    })),
  });
  await team.ask("go");
  await team.until(
    report(/scout is idle\.\\nTask #1: still in progress, not completed\.\\nIts last answer:\\nhalf done/),
  );
});
