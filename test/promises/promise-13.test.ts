import { expect, test } from "vitest";
import { gate } from "../team/team-session.ts";
import { agrees, alpha, bash, filesOf, inState, leading, mate, membersOf, statesOf } from "./teammates.ts";

test("promise 13: every state of a member is known, and who has ended stays in the record", async () => {
  const answers = gate();
  const team = await alpha({
    flags: { permissionMode: "default" },
    answer: leading([{ calls: [mate("scout")] }, { text: "waiting" }], async (ask) => {
      if (ask.turn === 1) return { calls: [bash("touch asked-for")] };
      return agrees(ask) ?? { text: "done" };
    }),
    more: {
      async asker() {
        await answers.opened;
        return { behavior: "allow", scope: "once" };
      },
    },
  });
  await team.ask("go");
  const { event } = await inState(team, "scout", "waiting");
  expect(event).toMatchObject({ detail: expect.stringContaining("touch asked-for") as string, alive: "alive" });
  answers.open();
  await inState(team, "scout", "idle");
  expect(await team.command({ type: "member.stop", name: "scout" })).toEqual({ ok: true });
  await inState(team, "scout", "ended");
  const seen = statesOf(team, "scout");
  const order = ["starting", "working", "waiting", "idle", "draining", "ended"];
  expect(seen.filter((state) => !order.includes(state))).toEqual([]);
  expect(seen.at(-1)).toBe("ended");
  expect(await membersOf(team.tree)).toMatchObject([{ name: "scout", ended: { reason: "shutdown" } }]);
  const last = team.all("member.changed").findLast(({ name }) => name === "scout");
  expect(last).toMatchObject({ state: "ended", detail: "shutdown", alive: "dead" });
  const again = await (await filesOf(team.tree)).record.read();
  expect(again.members.map(({ name }) => name)).toEqual(["team-lead", "scout"]);
});
