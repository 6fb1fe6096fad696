import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { PermissionQuestion } from "../../../src/agent/index.ts";
import type { PermissionAnswer } from "../../../src/protocol/index.ts";
import { gate } from "../../support/team/team-session.ts";
import { alpha, bash, inState, leading, mate, memberLog, report } from "../../support/team/scripted-team.ts";

const asksFor = (command: string) =>
  leading([{ calls: [mate("scout")] }, { text: "waiting" }], ({ turn, result }) =>
    turn === 1 ? { calls: [bash(command)] } : { text: `came to: ${result?.text}` },
  );
const flags = { permissionMode: "default" } as const;
const allow: PermissionAnswer = { behavior: "allow", scope: "once" };

test("promise 21: member's question appears at the lead with its name and is answered with a note", async () => {
  const team = await alpha({ flags, more: { asker: "reply" }, answer: asksFor("touch one") });
  await team.ask("go");
  const { event } = await team.until((asked) => asked.type === "permission.asked" && asked.member !== undefined);
  expect(event).toMatchObject({
    tool: "Bash",
    input: { command: "touch one" },
    member: { team: "alpha", name: "scout" },
  });
  await inState(team, "scout", "waiting");
  expect(team.session.view().questions).toHaveLength(1);
  if (event.type !== "permission.asked") throw new Error("no question");
  const reply = { type: "permission.reply", requestId: event.requestId } as const;
  expect(await team.command({ ...reply, answer: { behavior: "deny", message: "not in this folder" } })).toEqual({
    ok: true,
  });
  expect(await team.command({ ...reply, answer: allow })).toMatchObject({ ok: false });
  await team.until(report(/came to: .*not in this folder/));
  expect(existsSync(join(team.cwd, "one"))).toBe(false);
  expect(team.session.view().questions).toEqual([]);
});

test("promise 21: several questions wait side by side, and each is answered separately", async () => {
  const open = new Map<string, { question: PermissionQuestion; answer: (answer: PermissionAnswer) => void }>();
  const all = gate();
  const names = ["a", "b", "c"];
  const team = await alpha({
    flags,
    more: {
      asker: (question) =>
        new Promise((answer) => {
          open.set(question.member?.name ?? "", { question, answer });
          if (open.size === names.length) all.open();
        }),
    },
    answer: leading([{ calls: names.map((name) => mate(name)) }, { text: "waiting" }], ({ turn, agent, result }) =>
      turn === 1 ? { calls: [bash(`touch by-${agent}`)] } : { text: `${agent} came to: ${result?.isError}` },
    ),
  });
  await team.ask("go");
  await all.opened;
  open.get("c")?.answer(allow);
  await team.until(report(/c@alpha came to: false/));
  open.get("a")?.answer({ behavior: "deny", message: "no" });
  await team.until(report(/a@alpha came to: true/));
  open.get("b")?.answer(allow);
  await team.until(report(/b@alpha came to: false/));
  expect(names.filter((name) => existsSync(join(team.cwd, `by-${name}@alpha`)))).toEqual(["b", "c"]);
});

test("promise 21: unanswered question is denied after the configured time", async () => {
  const team = await alpha({
    flags,
    settings: { teams: { permissionTimeoutMs: 1000 } },
    more: { asker: "reply" },
    answer: asksFor("touch one"),
  });
  await team.ask("go");
  await team.until(report(/came to: .*did not answer within 1 s/));
  expect(existsSync(join(team.cwd, "one"))).toBe(false);
  await team.until(({ type }) => type === "permission.settled");
  expect(team.session.view().questions).toEqual([]);
});

test("promise 21: question pending at a crash is asked again once, and its member continues", async () => {
  const first = await alpha({ flags, more: { asker: "reply" }, answer: asksFor("touch one") });
  await first.ask("go");
  await inState(first, "scout", "waiting");
  await first.close();

  const second = await alpha({
    flags,
    more: { asker: "reply" },
    tree: first.tree,
    resume: first.session.id,
    answer: leading([], ({ result }) =>
      result?.tool === "Bash" && !result.isError ? { text: "touched" } : { calls: [bash("touch one")] },
    ),
  });
  await inState(second, "scout", "waiting");
  // The resumed member asks again and has withdrawn the question of its previous run.
  const asked = () => [
    ...new Set(second.all("permission.asked").flatMap(({ requestId, member }) => (member ? [requestId] : []))),
  ];
  await second.until(() => asked().length === 2);
  await second.until((event) => event.type === "permission.settled" && event.requestId === asked()[0]);
  await second.seen();
  expect(second.session.view().questions).toHaveLength(1);
  for (const { requestId } of second.session.view().questions)
    await second.command({ type: "permission.reply", requestId, answer: allow });
  await second.until(report(/touched/));
  expect(existsSync(join(first.cwd, "one"))).toBe(true);
  const log = await memberLog(first.tree, "scout");
  expect(log.filter(({ type }) => type === "permission.settled").at(-1)).toMatchObject({ behavior: "allow" });
});
