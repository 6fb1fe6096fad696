import { expect, test } from "vitest";
import type { Event } from "../../../src/protocol/index.ts";
import { alpha, hang, leading, mate } from "../../support/team/scripted-team.ts";
import { agent, gate } from "../../support/team/team-session.ts";

test("a working teammate holds a slot and releases it when it becomes idle", async () => {
  const resting = gate();
  const wanted = gate();
  const team = await alpha({
    settings: { limits: { maxConcurrentAgents: 1 } },
    answer: leading(
      [
        { calls: [mate("scout")] },
        () => {
          wanted.open();
          return { calls: [agent("look")] };
        },
      ],
      async ({ agent: who }) => {
        if (who === "scout@alpha") await resting.opened;
        return { text: `${who} is done` };
      },
    ),
  });
  await team.command({ type: "prompt", content: "go" });
  await wanted.opened;
  await team.seen();
  const isReader = (event: Event) => event.type === "agent.spawned" && event.parent !== undefined;
  const isRest = (event: Event) => event.type === "member.changed" && event.name === "scout" && event.state === "idle";
  resting.open();
  await team.until(isReader);
  const at = (fits: (event: Event) => boolean) => team.envelopes.findIndex(({ event }) => fits(event));
  expect(at(isRest)).toBeGreaterThan(0);
  expect(at(isReader)).toBeGreaterThan(at(isRest));
});

test("slots held or awaited by a teammate's subagents are released when it ends", async () => {
  const begun = gate();
  const queued = (event: Event) => event.type === "tool.progress" && event.text.startsWith("waiting for a slot,");
  const team = await alpha({
    settings: { limits: { maxConcurrentAgents: 1 } },
    answer: leading([{ calls: [mate("scout")] }, { text: "waiting" }, { calls: [agent("look")] }], ({ agent: who }) => {
      if (who === "scout@alpha") return { calls: [agent("one"), agent("two")] };
      if (who.startsWith("lead/")) return { text: "it was free" };
      begun.open();
      return hang;
    }),
  });
  await team.ask("go");
  await begun.opened;
  await team.until(queued);
  await team.command({ type: "member.stop", name: "scout", now: true });
  const { reason } = await team.ask("now you");
  expect(reason).toBe("completed");
  expect(team.asked(/^lead\//)).toHaveLength(1);
});
