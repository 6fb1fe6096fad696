import { expect, test } from "vitest";
import type { AgentPath } from "../../../src/protocol/index.ts";
import { agent, gate, lead, resultOf, teamSession } from "../../support/team/team-session.ts";
import { alpha, hang, inState, leading, mate, memberLog, statesOf } from "../../support/team/scripted-team.ts";

test("promise 17: interrupt stops only the turn in view, which can be resumed", async () => {
  const over = gate();
  const team = await teamSession({
    answer: lead(
      [
        { calls: [agent("watch", { name: "other", run_in_background: true })] },
        { calls: [agent("work", { name: "scout" })] },
        { calls: [{ tool: "SendMessage", input: { to: "scout", message: "go on" } }] },
        { text: "over" },
      ],
      async (ask) => {
        if (ask.agent === "lead/other") await over.opened;
        if (ask.agent === "lead/scout" && ask.turn === 1) return { text: "x", fault: { kind: "hang" } };
        return { text: `${ask.agent} is done` };
      },
    ),
  });
  const asking = team.ask("go");
  await team.until(
    (event, { agent: id }) =>
      event.type === "turn.started" && team.all("turn.started", "lead/scout").length > 0 && id !== "",
  );
  await team.session.abort();
  expect(await asking).toMatchObject({ reason: "interrupted" });
  expect(team.session.backgroundRunning()).toHaveLength(1);
  await team.ask("go on");
  over.open();
  await team.quiet();
  expect(team.all("agent.idle", "lead/other").map(({ reason }) => reason)).toEqual(["completed"]);
  expect(team.all("agent.idle", "lead/scout").map(({ reason }) => reason)).toEqual(["interrupted", "completed"]);
});

test("promise 17: interrupt of one agent leaves the lead and the others at work", async () => {
  const team = await teamSession({
    answer: lead(
      [{ calls: [agent("work", { name: "scout" }), agent("work", { name: "other" })] }, { text: "over" }],
      async (ask) => {
        if (ask.agent === "lead/scout") return { text: "x", fault: { kind: "hang" } };
        await team.until((event) => event.type === "agent.idle");
        return { text: "other is done" };
      },
    ),
  });
  const asking = team.ask("go");
  await team.until(() => team.all("turn.started", "lead/scout").length > 0);
  expect(await team.command({ type: "interrupt", agent: "lead/scout" as AgentPath })).toEqual({ ok: true });
  expect(await asking).toMatchObject({ reason: "completed", text: "over" });
  expect(resultOf(team, 1).text).toMatch(/^The agent stopped: the user interrupted it/);
  expect(resultOf(team, 2).text).toMatch(/^other is done/);
  expect(await team.command({ type: "interrupt", agent: "lead/missing" as AgentPath })).toMatchObject({ ok: false });
});

test("promise 17: interrupt of a teammate stops its turn only; it reports that and continues on mail", async () => {
  const over = gate();
  const team = await alpha({
    answer: leading([{ calls: [mate("scout"), mate("other")] }, { text: "waiting" }], async (ask) => {
      if (ask.agent === "scout@alpha") return ask.turn === 1 ? hang : { text: "has continued" };
      await over.opened;
      return { text: "other is done" };
    }),
  });
  await team.ask("go");
  await team.until(() => team.asked("scout@alpha").length === 1 && team.asked("other@alpha").length === 1);
  await inState(team, "scout", "working");
  expect(await team.command({ type: "member.interrupt", name: "scout" })).toEqual({ ok: true });
  await inState(team, "scout", "idle");
  const interrupted = (await memberLog(team.tree, "scout")).filter((event) => event.type === "agent.idle");
  expect(interrupted).toMatchObject([{ reason: "interrupted" }]);
  expect(team.session.view().agents).toBeDefined();
  expect(statesOf(team, "other")).not.toContain("idle");
  await team.command({ type: "mail.send", to: "scout", text: "go on" });
  await team.until(
    (event) => event.type === "mail.received" && event.from === "scout" && team.asked("scout@alpha").length === 2,
  );
  over.open();
  await inState(team, "other", "idle");
  const rests = (await memberLog(team.tree, "other")).filter((event) => event.type === "agent.idle");
  expect(rests).toMatchObject([{ reason: "completed" }]);
});
