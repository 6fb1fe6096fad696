import { expect, test } from "vitest";
import { agent, gate, lead, teamSession } from "../team/team-session.ts";

test("promise 17: an interrupt stops the turn one is looking at, and nothing else; what was stopped can be resumed", async () => {
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
  const asking = team.session.ask("go");
  await team.until(
    (event, { agent: id }) =>
      event.type === "turn.started" && team.all("turn.started", "lead/scout").length > 0 && id !== "",
  );
  await team.session.abort();
  expect(await asking).toMatchObject({ reason: "interrupted" });
  expect(team.session.backgroundRunning()).toHaveLength(1);
  await team.session.ask("go on");
  over.open();
  await team.quiet();
  expect(team.all("agent.idle", "lead/other").map(({ reason }) => reason)).toEqual(["completed"]);
  expect(team.all("agent.idle", "lead/scout").map(({ reason }) => reason)).toEqual(["interrupted", "completed"]);
});
