import { appendFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createFileSessionStore } from "../../../src/store/index.ts";
import { alpha, filesOf, inState, leading, mate, ports } from "../../support/team/scripted-team.ts";
import { type TeamSession, teamSession } from "../../support/team/team-session.ts";

const damageIn = (team: TeamSession) =>
  team.all("notice.raised").flatMap(({ code, message }) => (code === "damage" ? [message] : []));
const torn = '\n{"do":"create","sub\n';

test("damage in a team's record or tasks is reported once to the lead's user, also after a resume", async () => {
  const answer = () => leading([{ calls: [mate("scout")] }, { text: "waiting" }], () => ({ text: "seen" }));
  const first = await alpha({ answer: answer() });
  await first.ask("go");
  await inState(first, "scout", "idle");
  const file = (name: string) => first.tree.path(`home/.troupe/teams/alpha/${name}`);
  appendFileSync(file("team.jsonl"), torn);
  await first.until((event) => event.type === "notice.raised" && event.message.includes("team.jsonl"));
  const { tasks } = await filesOf(first.tree);
  await tasks.create({ subject: "dig", description: "", needs: ["Spade"] }, { name: "user" });
  appendFileSync(file("tasks.jsonl"), torn);
  await tasks.update(1, { subject: "dig deep" }, { name: "user" });
  await first.until((event) => event.type === "notice.raised" && event.message.includes("tasks.jsonl"));
  expect((await tasks.list()).map(({ subject }) => subject)).toEqual(["dig deep"]);
  expect(damageIn(first)).toEqual([
    expect.stringMatching(/team\.jsonl, byte \d+: not a record/),
    expect.stringMatching(/tasks\.jsonl, byte \d+: not a record/),
  ]);
  const sessionId = first.session.id;
  await first.close();

  const again = await alpha({ answer: answer(), tree: first.tree, resume: sessionId });
  await inState(again, "scout", "idle");
  await again.ask("and now?");
  appendFileSync(file("team.jsonl"), torn);
  await again.until(() => damageIn(again).length > 2);
  expect(damageIn(again).map((message) => message.includes("team.jsonl"))).toEqual([true, false, true]);
});

test("damage in a session's own task list is reported", async () => {
  const team = await teamSession({ stored: true, answer: () => ({ text: "ok" }) });
  expect(await team.command({ type: "task.create", subject: "dig" })).toEqual({ ok: true });
  const store = createFileSessionStore({ home: team.tree.path("home/.troupe"), ...ports });
  appendFileSync(await store.taskListFile(team.session.id), torn);
  expect(await team.command({ type: "task.update", taskId: 1, status: "completed" })).toEqual({ ok: true });
  await team.until((event) => event.type === "notice.raised" && event.message.includes("tasks.jsonl"));
  expect(damageIn(team)).toHaveLength(1);
});
