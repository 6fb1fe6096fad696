import { expect, test } from "vitest";
import { agent, gate, lead, teamSession, textOf } from "../team/team-session.ts";

test("promise 16: after compaction the lead still knows its running agents and commands, and those that have finished", async () => {
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
  expect(messages).toContain("- done-one: do a thing");
  expect(messages).not.toContain("- scout:");
  over.open();
  await team.until((event) => event.type === "background.ended");
  const told = () => team.all("prompt.admitted", "lead").filter(({ source }) => source === "background");
  await team.session.settled();
  await team.seen();
  expect(told()).toHaveLength(1);
});
