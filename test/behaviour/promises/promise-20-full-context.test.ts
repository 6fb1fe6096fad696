import { expect, test } from "vitest";
import { agent, lead, resultOf, teamSession } from "../../support/team/team-session.ts";
import { alpha, bash, hang, leading, mate, memberLog, report } from "../../support/team/scripted-team.ts";

const summary = `The task continues. ${"I ran a command that prints many letters, and it ended well. ".repeat(4)}`;

test("promise 20: agent with a full context is compacted and continues; stop works without the model", async () => {
  const filling = {
    text: "x".repeat(4_000),
    calls: [{ tool: "Bash", input: { command: "head -c 20000 /dev/zero | tr '\\0' y" } }],
  };
  const team = await teamSession({
    settings: { compaction: { atTokens: 12_000 } },
    answer: (ask) => (ask.purpose === "compact" ? { text: summary } : steps(ask)),
  });
  const steps = lead([{ calls: [agent("work", { name: "scout" })] }, { text: "over" }], (ask) =>
    ask.turn < 6 ? filling : { text: "came through" },
  );
  await team.ask("go");
  expect(team.all("context.compacted", "lead/scout").length).toBeGreaterThan(0);
  expect(resultOf(team).text).toMatch(/^came through/);

  const hung = await teamSession({
    answer: lead([{ calls: [agent("work", { run_in_background: true })] }, { text: "waiting" }], () => ({
      text: "x",
      fault: { kind: "hang" },
    })),
  });
  await hung.ask("go");
  const [task] = hung.all("background.started");
  expect(await hung.command({ type: "background.stop", backgroundId: task!.backgroundId })).toEqual({ ok: true });
  await hung.seen();
  expect(hung.all("background.ended")).toMatchObject([{ status: "killed" }]);
});

test("promise 20: teammate with a full context is compacted and continues; control mail still works", async () => {
  const filling = {
    text: "x".repeat(4_000),
    calls: [bash("head -c 20000 /dev/zero | tr '\\0' y")],
  };
  const steps = leading([{ calls: [mate("scout")] }, { text: "waiting" }], ({ turn, said }) =>
    said.includes("again") ? hang : turn < 6 ? filling : { text: "came through" },
  );
  const team = await alpha({
    settings: { compaction: { atTokens: 12_000 } },
    answer: (ask) => (ask.purpose === "compact" ? { text: summary } : steps(ask)),
  });
  await team.ask("go");
  await team.until(report(/came through/));
  const log = await memberLog(team.tree, "scout");
  expect(log.filter(({ type }) => type === "context.compacted").length).toBeGreaterThan(0);
  await team.command({ type: "mail.send", to: "scout", text: "again" });
  await expect.poll(() => team.asked("scout@alpha").at(-1)?.said.includes("again")).toBe(true);
  expect(await team.command({ type: "member.set", name: "scout", permissionMode: "plan" })).toEqual({ ok: true });
  expect(await team.command({ type: "member.interrupt", name: "scout" })).toEqual({ ok: true });
  await team.until((event) => event.type === "agent.idle" && event.reason === "interrupted");
  expect((await memberLog(team.tree, "scout")).findLast((event) => event.type === "agent.changed")).toMatchObject({
    permissionMode: "plan",
  });
  await team.command({ type: "mail.send", to: "scout", text: "once again" });
  expect(await team.command({ type: "member.stop", name: "scout", now: true })).toEqual({ ok: true });
});
