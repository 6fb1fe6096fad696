import { join } from "node:path";
import { expect, test } from "vitest";
import {
  alpha,
  bash,
  hang,
  inState,
  isRunning,
  leading,
  mate,
  membersOf,
  requestIn,
  say,
  statesOf,
  written,
} from "../../support/team/scripted-team.ts";

const settings = { teams: { shutdownMs: 1000 } };

test("promise 10: member whose model never answers is asked, drained, and ended on timeout", async () => {
  const team = await alpha({
    settings,
    answer: leading([{ calls: [mate("scout")] }, { text: "waiting" }], () => hang),
  });
  await team.ask("go");
  await inState(team, "scout", "working");
  expect(await team.command({ type: "member.stop", name: "scout" })).toEqual({ ok: true });
  await inState(team, "scout", "ended");
  const states = statesOf(team, "scout");
  expect(states.slice(states.indexOf("working"))).toEqual(["working", "draining", "ended"]);
  expect(await membersOf(team.tree)).toMatchObject([
    { name: "scout", ended: { reason: "killed", detail: "it did not answer in time" } },
  ]);
});

test("promise 10: member that refuses shutdown continues until it is stopped by force", async () => {
  const team = await alpha({
    settings: { teams: { shutdownMs: 60_000 } },
    answer: leading([{ calls: [mate("scout")] }, { text: "waiting" }], ({ said, result }) => {
      if (!said.includes("asks you to end") || result?.tool === "SendMessage") return { text: "still here" };
      const answer = { type: "shutdown_response", request_id: requestIn(said), approve: false, reason: "half done" };
      return { calls: [say("team-lead", answer)] };
    }),
  });
  await team.ask("go");
  await inState(team, "scout", "idle");
  expect(await team.command({ type: "member.stop", name: "scout" })).toEqual({
    ok: false,
    code: "rejected",
    message: "scout refused to shut down: half done",
  });
  expect((await membersOf(team.tree))[0]?.ended).toBeUndefined();
  expect(await team.command({ type: "member.stop", name: "scout", now: true, reason: "enough" })).toEqual({ ok: true });
  expect((await membersOf(team.tree))[0]?.ended).toMatchObject({ reason: "killed", detail: "enough" });
});

test("promise 10: member's processes end with it, also those that ignore signals", async () => {
  const team = await alpha({
    settings,
    answer: leading([{ calls: [mate("scout")] }, { text: "waiting" }], ({ turn }) =>
      turn === 1
        ? { calls: [bash(`trap '' TERM INT HUP; echo $$ > pid; while :; do sleep 1; done`)] }
        : { text: "over" },
    ),
  });
  await team.ask("go");
  const pid = Number(await written(join(team.cwd, "pid")));
  expect(isRunning(pid)).toBe(true);
  expect(await team.command({ type: "member.stop", name: "scout" })).toEqual({ ok: true });
  expect(isRunning(pid)).toBe(false);
  expect((await membersOf(team.tree))[0]?.ended).toMatchObject({ reason: "killed" });
});
