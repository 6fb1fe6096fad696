import { expect, test } from "vitest";
import { createFileTeamStore } from "../../../src/store/index.ts";
import {
  agrees,
  alpha,
  filesOf,
  inState,
  leading,
  mate,
  membersOf,
  ports,
  say,
} from "../../support/team/scripted-team.ts";
import { teamSession } from "../../support/team/team-session.ts";

test("with several teams the named one gets the message and the end, also with equal member names", async () => {
  const make = (team_name: string) => ({ tool: "TeamCreate", input: { team_name } });
  const wanted: Record<string, { tool: string; input: object }[]> = {
    one: [make("one")],
    "its tester": [mate("tester")],
    two: [make("two")],
    "another tester": [mate("tester")],
    "to two": [say("tester@two", "for two")],
    "to one": [say("tester@one", "for one"), say("tester", "which?")],
    "to all": [say("*", "for all")],
    "end it": [say("tester@two", { type: "shutdown_request" })],
  };
  const heard: string[] = [];
  const team = await teamSession({
    stored: true,
    settings: { teams: { enabled: true } },
    answer: (ask) => {
      for (const [words] of ask.said.matchAll(/for (one|two|all|the user)/g)) heard.push(`${ask.agent}: ${words}`);
      if (ask.agent !== "lead") return agrees(ask) ?? { text: "done" };
      // It may read at the same moment that its teammates are idle.
      const line = ask.result ? undefined : ask.said.split("\n").find((each) => each in wanted);
      return line === undefined ? { text: "fine" } : { calls: wanted[line] ?? [] };
    },
  });
  for (const step of ["one", "its tester", "two"]) await team.ask(step);
  expect(JSON.stringify(team.all("tool.settled", "lead").at(-1))).toContain(
    "You also lead one. Your task tools now use the list of two",
  );
  for (const step of ["another tester", "to two"]) await team.ask(step);
  // The lead does not wait for the member that got no message.
  await expect.poll(() => team.session.backgroundRunning()).toEqual([]);
  await team.ask("to one");
  expect(team.all("tool.settled", "lead").at(-1)).toMatchObject({
    outcome: "failed",
    content: [{ text: "Several members have that name. Use one of: tester@one, tester@two." }],
  });
  await team.ask("to all");
  expect(await team.command({ type: "mail.send", to: "tester@one", text: "for the user" })).toEqual({ ok: true });
  await expect
    .poll(() => heard.toSorted())
    .toEqual([
      "tester@one: for all",
      "tester@one: for one",
      "tester@one: for the user",
      "tester@two: for all",
      "tester@two: for two",
    ]);
  await team.ask("end it");
  await inState(team, "tester", "ended");
  const endedIn = async (name: string) =>
    (await (await filesOf(team.tree, name)).record.read()).members.map(({ ended }) => ended?.reason);
  expect(await endedIn("two")).toEqual([undefined, "shutdown"]);
  expect(await endedIn("one")).toEqual([undefined, undefined]);
  // The other member of that name has ended, so the name is unambiguous.
  expect(await team.command({ type: "mail.send", to: "tester", text: "for the user" })).toEqual({ ok: true });
});

test("team named by the user is kept with its tasks; a team made by the model is removed", async () => {
  const first = await alpha({
    answer: leading([{ calls: [{ tool: "TaskCreate", input: { subject: "later", description: "not now" } }] }], () => ({
      text: "done",
    })),
  });
  await first.ask("go");
  await first.close();
  const again = await teamSession({
    tree: first.tree,
    stored: true,
    resume: first.session.id,
    flags: { settings: '{"teams":{"enabled":true}}' },
    answer: leading([{ calls: [{ tool: "TeamCreate", input: { team_name: "beta" } }] }], () => ({ text: "done" })),
  });
  await again.ask("and on");
  const names = async () =>
    (await createFileTeamStore({ home: first.tree.path("home/.troupe"), ...ports }).list()).map(({ name }) => name);
  expect((await names()).toSorted()).toEqual(["alpha", "beta"]);
  await again.close();
  expect(await names()).toEqual(["alpha"]);
  expect(await (await filesOf(first.tree)).tasks.list()).toMatchObject([{ subject: "later" }]);
});

test("resuming a session whose team another session leads leaves that team alone", async () => {
  const first = await alpha({ answer: leading([{ calls: [mate("scout")] }], () => ({ text: "done" })) });
  await first.ask("go");
  await inState(first, "scout", "idle");
  await first.close();
  const other = await alpha({ tree: first.tree, answer: () => ({ text: "I lead" }) });
  await other.ask("hello");
  const again = await teamSession({
    tree: first.tree,
    stored: true,
    resume: first.session.id,
    answer: () => ({ text: "I am here" }),
  });
  expect((await again.ask("hello")).text).toBe("I am here");
  expect(again.all("notice.raised").map(({ message }) => message)).toEqual([
    expect.stringMatching(/^cannot resume team alpha: .*another session leads it/),
  ]);
  expect((await other.ask("still there?")).text).toBe("I lead");
  await again.close();
  await other.close();
  // The team has no lead now, so the session leads it again.
  const last = await teamSession({
    tree: first.tree,
    stored: true,
    resume: first.session.id,
    answer: () => ({ text: "back" }),
  });
  await inState(last, "scout", "idle");
  expect((await (await filesOf(first.tree)).record.read()).leadSessionId).toBe(first.session.id);
});

test("teammate's session resumes only as that teammate, as long as its team knows it", async () => {
  const first = await alpha({ answer: leading([{ calls: [mate("scout")] }], () => ({ text: "done" })) });
  await first.ask("go");
  await inState(first, "scout", "idle");
  await first.close();
  const { tree } = first;
  const scout = (await membersOf(tree))[0]?.sessionId ?? "";
  const resume = () => teamSession({ tree, stored: true, resume: scout, answer: () => ({ text: "who am I?" }) });
  await expect(resume()).rejects.toThrow(
    `cannot resume session ${scout} alone: it belongs to teammate scout of team alpha. Run 'troupe team respawn alpha scout', or resume its lead with 'troupe --resume ${first.session.id}'.`,
  );
  // The refused process does not hold it.
  const again = await teamSession({
    tree,
    stored: true,
    resume: first.session.id,
    answer: leading([], () => ({ text: "back" })),
  });
  await inState(again, "scout", "idle");
  await again.close();
  await createFileTeamStore({ home: tree.path("home/.troupe"), ...ports }).delete("alpha", { force: true });
  expect((await (await resume()).ask("still there?")).text).toBe("who am I?");
});

test("name that only looks like a team's creates no team: the error names the existing one", async () => {
  const first = await alpha({ answer: () => ({ text: "hello" }) });
  await first.ask("go");
  await first.close();
  const { tree } = first;
  const other = () => teamSession({ tree, stored: true, flags: { team: "Alpha" }, answer: () => ({ text: "hello" }) });
  await expect(other()).rejects.toThrow("A team with a name similar to Alpha exists: alpha. Use its exact name.");
  const teams = createFileTeamStore({ home: tree.path("home/.troupe"), ...ports });
  expect((await teams.list()).map(({ name }) => name)).toEqual(["alpha"]);
});
