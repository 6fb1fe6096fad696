import { expect, test } from "vitest";
import { agent, lead, resultOf, teamSession } from "../team/team-session.ts";

test("promise 20: an agent whose context is full is compacted and goes on; a stop reaches it without the model", async () => {
  const filling = {
    text: "x".repeat(4_000),
    calls: [{ tool: "Bash", input: { command: "head -c 20000 /dev/zero | tr '\\0' y" } }],
  };
  const team = await teamSession({
    settings: { compaction: { atTokens: 12_000 } },
    answer: (ask) => (ask.purpose === "compact" ? { text: "The task goes on." } : steps(ask)),
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
