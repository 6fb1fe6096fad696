import { expect, test } from "vitest";
import { agent, gate, lead, type TeamOptions, teamSession, textOf } from "../../support/team/team-session.ts";
import { alpha, bash, inState, leading, mate, memberLog, report } from "../../support/team/scripted-team.ts";

test("promise 16: after compaction the lead knows its running and finished agents and commands", async () => {
  const over = gate();
  const team = await teamSession({
    answer: (ask) => (ask.purpose === "compact" ? { text: "We worked." } : steps(ask)),
  });
  const steps = lead(
    [
      { calls: [agent("work", { name: "done-one" })] },
      {
        calls: [
          agent("watch", { name: "scout", run_in_background: true, description: "watch the door" }),
          { tool: "Bash", input: { command: "sleep 300", run_in_background: true, description: "a long sleep" } },
        ],
      },
      { text: "waiting" },
      { text: "I know" },
    ],
    async (ask) => {
      if (ask.agent === "lead/scout") await over.opened;
      return { text: "seen" };
    },
  );
  await team.ask("go");
  expect(await team.command({ type: "compact" })).toEqual({ ok: true });
  await team.ask("and now?");
  const messages = textOf(team.asked("lead").at(-1)?.request.messages ?? []);
  const [shell, scout] = team.session.backgroundRunning().toSorted((a, b) => (a.kind < b.kind ? 1 : -1));
  expect(messages).toContain(`agent ${scout?.id}: watch the door`);
  expect(messages).toContain(`command ${shell?.id}:`);
  expect(messages).toMatch(/- done-one \(agt_\w+\): do a thing/);
  expect(messages).toMatch(/SendMessage reaches them by name or id:\\n- scout \(agt_\w+\): watch the door/);
  over.open();
  await team.until((event) => event.type === "background.ended");
  const told = () => team.all("prompt.admitted", "lead").filter(({ source }) => source === "background");
  await team.session.settled();
  await team.seen();
  expect(told()).toHaveLength(1);
});

test("promise 16: after compaction the lead knows its team and the open tasks", async () => {
  const steps = leading(
    [
      {
        calls: [
          mate("scout", "watch"),
          mate("scribe", "write"),
          { tool: "TaskCreate", input: { subject: "paint the shed", description: "d", needs: ["Brush"] } },
          { tool: "TaskCreate", input: { subject: "dry it", description: "d", blockedBy: [1] } },
          { tool: "TaskCreate", input: { subject: "all done", description: "d", needs: ["Brush"] } },
          { tool: "TaskUpdate", input: { taskId: 3, status: "completed" } },
        ],
      },
      { text: "waiting" },
    ],
    () => ({ text: "seen" }),
  );
  const team = await alpha({ answer: (ask) => (ask.purpose === "compact" ? { text: "We worked." } : steps(ask)) });
  await team.ask("go");
  await inState(team, "scout", "idle");
  expect(await team.command({ type: "member.stop", name: "scribe", now: true })).toEqual({ ok: true });
  await team.session.settled();
  expect(await team.command({ type: "compact" })).toEqual({ ok: true });
  const [compacted] = team.all("context.compacted", "lead");
  expect(compacted?.summary).toBe(
    [
      "We worked.\n",
      "<still-there>",
      "You lead team alpha. Its members:",
      "- scout (general-purpose): idle",
      "- scribe (general-purpose): ended (killed)",
      "Open tasks:",
      "#1 [pending] paint the shed",
      "#2 [pending] dry it [blocked by #1]",
      "</still-there>",
    ].join("\n"),
  );
  await team.ask("and now?");
  expect(textOf(team.asked("lead").at(-1)?.request.messages ?? [])).toContain("paint the shed");
});

test("promise 16: after compaction a lead without a team and a member know their open tasks", async () => {
  const create = (subject: string) => ({ tool: "TaskCreate", input: { subject, description: "d", needs: ["Brush"] } });
  const compacting = (answer: TeamOptions["answer"]): TeamOptions["answer"] => {
    return (ask) => (ask.purpose === "compact" ? { text: "We worked." } : answer(ask));
  };
  const alone = await teamSession({
    stored: true,
    answer: compacting(({ turn }) => (turn === 1 ? { calls: [create("sweep")] } : { text: "ok" })),
  });
  await alone.ask("go");
  expect(await alone.command({ type: "compact" })).toEqual({ ok: true });
  const summaries = () => alone.all("context.compacted").map(({ summary }) => summary);
  expect(summaries()).toEqual([expect.stringContaining("Open tasks:\n#1 [pending] sweep\n</still-there>")]);

  // A member's conversation is compacted when it no longer fits.
  const filling = { text: "x".repeat(4_000), calls: [bash("head -c 20000 /dev/zero | tr '\\0' y")] };
  const team = await alpha({
    settings: { compaction: { atTokens: 12_000 } },
    answer: compacting(
      leading([{ calls: [create("sweep"), mate("scout")] }, { text: "waiting" }], ({ turn }) =>
        turn < 6 ? filling : { text: "came through" },
      ),
    ),
  });
  await team.ask("go");
  await team.until(report(/came through/));
  const [compacted] = (await memberLog(team.tree, "scout")).filter((event) => event.type === "context.compacted");
  const knows = "You are scout in team alpha. The other members:\n- team-lead\nOpen tasks:\n#1 [pending] sweep";
  expect(compacted?.summary).toContain(knows);
});
