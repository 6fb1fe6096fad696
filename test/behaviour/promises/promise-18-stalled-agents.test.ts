import { expect, test } from "vitest";
import { heldBackend, ledTeam, wishFor } from "../../support/team/led-team.ts";
import { agent, lead, resultOf, teamSession } from "../../support/team/team-session.ts";
import { alpha, bash, hang, leading, mate, memberLog } from "../../support/team/scripted-team.ts";

test("promise 18: agent without progress is detected and fails with its partial result", async () => {
  const team = await teamSession({
    settings: { watchdog: { startMs: 5000, modelMs: 5000, toolMs: 5000 } },
    answer: lead([{ calls: [agent("work")] }, { text: "over" }], (ask) =>
      ask.turn === 1
        ? { text: "half of it", calls: [{ tool: "Bash", input: { command: "echo half" } }] }
        : { text: "x", fault: { kind: "hang" } },
    ),
  });
  await team.ask("go");
  const { text, outcome } = resultOf(team);
  expect(outcome).toBe("failed");
  expect(text).toMatch(/^The agent failed: no sign of life .*\n\nhalf of it[\s\S]*echo half/);
  const idle = team.all("agent.idle").filter(({ reason }) => reason !== "completed");
  expect(idle).toMatchObject([{ reason: "failed", detail: expect.stringMatching(/^no sign of life/) as string }]);
});

test("promise 18: teammate with a silent model fails, and its lead reads why with its partial result", async () => {
  const team = await alpha({
    settings: { watchdog: { startMs: 5000, modelMs: 5000, toolMs: 5000 } },
    answer: leading([{ calls: [mate("scout")] }, { text: "waiting" }], ({ turn }) =>
      turn === 1 ? { text: "half of it", calls: [bash("echo half")] } : hang,
    ),
  });
  await team.ask("go");
  const { event } = await team.until(
    (each) => each.type === "prompt.admitted" && /scout could not continue/.test(JSON.stringify(each)),
  );
  expect(JSON.stringify(event)).toMatch(/no sign of life for \d+ s: its model/);
  expect(JSON.stringify(event)).toMatch(/What it said:\\nhalf of it\\nWhat was really done, by the log:.*echo half/);
  const log = await memberLog(team.tree, "scout");
  expect(log.filter((each) => each.type === "agent.idle")).toMatchObject([{ reason: "failed" }]);
});

test("promise 18: teammate whose call never ends is detected too and can be resumed", async () => {
  const team = await alpha({
    settings: { watchdog: { startMs: 5000, modelMs: 5000, toolMs: 5000 } },
    answer: leading([{ calls: [mate("scout")] }, { text: "waiting" }], ({ turn }) =>
      turn === 1 ? { calls: [bash("tail -f /dev/null")] } : { text: "has continued" },
    ),
  });
  await team.ask("go");
  await team.until(
    (each) => each.type === "prompt.admitted" && /scout could not continue: no sign of life/.test(JSON.stringify(each)),
  );
  await team.command({ type: "mail.send", to: "scout", text: "go on" });
  await team.until((each) => each.type === "prompt.admitted" && /has continued/.test(JSON.stringify(each)));
});

test("promise 18: teammate that never starts is ended; its lead reads why, its tasks are released", async () => {
  const backend = heldBackend({});
  const { team, stored, recorded } = await ledTeam({ backend, startMs: 5000 });
  await team.spawn(wishFor("scout", "call_1"));
  await stored.tasks.create({ subject: "paint", description: "" }, { name: "team-lead" });
  await stored.tasks.update(1, { owner: "scout" }, { name: "team-lead" });
  const notices = () => recorded.flatMap((event) => (event.type === "notice.raised" ? [event.message] : []));
  const why = "it was started but did not begin within 5 s";
  await expect
    .poll(notices)
    .toEqual([expect.stringContaining(`Your teammate scout is gone: ${why}. Released to the task list: #1.`)]);
  expect([...backend.there]).toEqual([]);
  expect(stored.record.current().members.at(-1)).toMatchObject({ ended: { reason: "lost", detail: why } });
  expect((await stored.tasks.get(1))?.owner).toBeUndefined();
});
