import { expect, test } from "vitest";
import { gate, textOf } from "../../support/team/team-session.ts";
import { mailOf, noticesOf } from "../../support/mail/session-mailbox.ts";
import { alpha, inState, leading, mate, report, requestIn, say } from "../../support/team/scripted-team.ts";

const names = ["anna", "bert", "cleo"] as const;

test("promise 04: idle is reported once and wakes no agent; the lead wakes once when all are idle", async () => {
  const gates = new Map(names.map((name) => [`${name}@alpha`, gate()]));
  const woken = [gate(), gate()];
  const team = await alpha({
    answer: leading(
      [
        { calls: names.map((name) => mate(name)) },
        { text: "waiting" },
        () => (woken[0]?.open(), { text: "heard all three" }),
        () => (woken[1]?.open(), { text: "heard again" }),
      ],
      async ({ agent, turn }) => {
        if (turn === 1) await gates.get(agent)?.opened;
        return { text: `${agent} turn ${turn}` };
      },
    ),
  });
  await team.ask("go");
  const mail = await mailOf(team.tree);
  for (const name of names) {
    expect(team.asked("lead")).toHaveLength(2);
    gates.get(`${name}@alpha`)?.open();
    await team.until(
      (event) => event.type === "mail.received" && event.from === name && event.kind === "idle_notification",
    );
  }
  await woken[0]?.opened;
  await team.session.settled();
  expect(team.asked("lead")).toHaveLength(3);
  const told = textOf(team.asked("lead").at(-1)?.request.messages ?? []);
  for (const name of names) expect(told.match(new RegExp(`${name}@alpha turn 1`, "g"))).toHaveLength(1);
  expect(told.match(/No teammate is working now/g)).toHaveLength(1);
  expect((await noticesOf(mail)).map(({ from }) => from)).toEqual([...names]);

  // Nothing has changed, so the same idle state is not reported again. Mail wakes anna, and her new idle state is
  // reported.
  await mail.send({ from: "user", to: "anna", text: "and now?" });
  await woken[1]?.opened;
  await team.session.settled();
  await inState(team, "anna", "idle");
  expect(team.asked("lead")).toHaveLength(4);
  expect((await noticesOf(mail)).map(({ from }) => from)).toEqual([...names, "anna"]);
});

test("promise 04: mail that arrives before a teammate is idle belongs to the same idle notice", async () => {
  const woken = gate();
  const team = await alpha({
    answer: leading(
      [{ calls: [mate("scout")] }, { text: "waiting" }, () => (woken.open(), { text: "heard" })],
      async ({ turn }) => {
        if (turn <= 5) await (await mailOf(team.tree)).send({ from: "user", to: "scout", text: `part ${turn}` });
        return { text: `answer ${turn}` };
      },
    ),
  });
  await team.ask("go");
  await woken.opened;
  const notices = await noticesOf(await mailOf(team.tree));
  expect(notices.map(({ result }) => result)).toEqual([
    ["answer 6", "Before that it said:", ...[1, 2, 3, 4, 5].map((turn) => `answer ${turn}`)].join("\n\n"),
  ]);
  expect(team.asked("lead")).toHaveLength(3);
});

test("promise 04: polite text with a shutdown approval wakes the lead once, with the end", async () => {
  const woken = gate();
  const team = await alpha({
    answer: leading(
      [{ calls: [mate("scout")] }, { text: "waiting" }, () => (woken.open(), { text: "heard" })],
      ({ said }) => {
        if (!said.includes("asks you to end")) return { text: "all is reported" };
        const approval = { type: "shutdown_response", request_id: requestIn(said), approve: true };
        return { text: "it was a pleasure", calls: [say("team-lead", approval)] };
      },
    ),
  });
  await team.ask("go");
  await woken.opened;
  await team.session.settled();
  expect(await team.command({ type: "member.stop", name: "scout" })).toEqual({ ok: true });
  await inState(team, "scout", "ended");
  await team.until(report(/it was a pleasure/));
  await team.until(report(/scout has agreed to end and has ended/));
  // By then the lead has decided whether it has anything to do.
  await expect.poll(() => team.session.backgroundRunning()).toEqual([]);
  await team.session.settled();
  expect(team.asked("lead")).toHaveLength(4);
  const said = team.asked("lead").at(-1)?.said ?? "";
  expect(said).toContain("it was a pleasure");
  expect(said.match(/has agreed to end/g)).toHaveLength(1);
});
