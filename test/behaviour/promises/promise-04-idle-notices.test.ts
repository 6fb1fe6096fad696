import { expect, test } from "vitest";
import { gate, textOf } from "../../support/team/team-session.ts";
import { mailOf, noticesOf } from "../../support/mail/session-mailbox.ts";
import { alpha, inState, leading, mate, report, requestIn, say } from "../../support/team/scripted-team.ts";

const names = ["anna", "bert", "cleo"] as const;

test("promise 04: a rest is told once, wakes nobody, and only when everybody rests is the lead woken, once for all", async () => {
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
  expect(told.match(/All your teammates are idle/g)).toHaveLength(1);
  expect((await noticesOf(mail)).map(({ from }) => from)).toEqual([...names]);

  // Nothing has changed: a second look at the same rest tells and wakes nobody. What is said wakes one, and that is told.
  await mail.send({ from: "user", to: "anna", text: "and now?" });
  await woken[1]?.opened;
  await team.session.settled();
  await inState(team, "anna", "idle");
  expect(team.asked("lead")).toHaveLength(4);
  expect((await noticesOf(mail)).map(({ from }) => from)).toEqual([...names, "anna"]);
});

test("promise 04: several rests in a row are one notice: what comes before a teammate has rested is part of the same", async () => {
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
    [1, 2, 3, 4, 5, 6].map((turn) => `answer ${turn}`).join("\n\n"),
  ]);
  expect(team.asked("lead")).toHaveLength(3);
});

test("promise 04: kind words of a teammate that agrees to end and had told everything wake nobody either", async () => {
  const woken = gate();
  const team = await alpha({
    answer: leading(
      [{ calls: [mate("scout")] }, { text: "waiting" }, () => (woken.open(), { text: "heard" })],
      ({ said }) => {
        if (!said.includes("asks you to end")) return { text: "all is told" };
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
  // It has been seen by then whether the lead has something to do.
  await expect.poll(() => team.session.backgroundRunning()).toEqual([]);
  await team.session.settled();
  expect(team.asked("lead")).toHaveLength(3);
  await team.ask("what did it say?");
  expect(team.asked("lead")).toHaveLength(4);
  expect(team.asked("lead").at(-1)?.said).toContain("it was a pleasure");
});
