import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SessionId } from "../../../src/protocol/index.ts";
import type { Ask } from "../../../src/testing.ts";
import { textOf } from "../../support/team/team-session.ts";
import {
  alpha,
  filesOf,
  hang,
  inState,
  leading,
  mate,
  memberLog,
  membersOf,
  ports,
} from "../../support/team/scripted-team.ts";

const everything = (ask: Ask) => textOf(ask.request.messages);

test("promise 15: after an exit the team resumes: members, mail and tasks as before, nothing twice", async () => {
  const first = await alpha({
    answer: leading(
      [
        {
          calls: [
            mate("scout", "look around"),
            mate("maker", "make it"),
            { tool: "TaskCreate", input: { subject: "paint", description: "paint it", needs: ["Paintbrush"] } },
          ],
        },
        { text: "waiting" },
      ],
      ({ agent }) => ({ text: `${agent} was here` }),
    ),
  });
  await first.ask("go");
  await inState(first, "scout", "idle");
  await inState(first, "maker", "idle");
  const before = await membersOf(first.tree);
  await first.close();

  const second = await alpha({
    tree: first.tree,
    resume: first.session.id,
    answer: leading([{ text: "back" }], ({ agent, said }) => ({ text: `${agent} heard: ${said}` })),
  });
  await inState(second, "scout", "idle");
  await inState(second, "maker", "idle");
  const after = await membersOf(first.tree);
  expect(after.map(({ name, sessionId, ended }) => ({ name, sessionId, ended }))).toEqual(
    before.map(({ name, sessionId }) => ({ name, sessionId, ended: undefined })),
  );
  await second.command({ type: "mail.send", to: "scout", text: "and now?" });
  await second.until(
    (event) =>
      event.type === "mail.received" &&
      event.from === "scout" &&
      event.kind === "idle_notification" &&
      second.asked("scout@alpha").length === 1,
  );
  const [again] = second.asked("scout@alpha");
  expect(everything(again!)).toContain("look around");
  expect(everything(again!)).toContain("scout@alpha was here");
  expect(everything(again!).match(/look around/g)).toHaveLength(1);
  expect(again!.said).toContain("and now?");
  expect(second.asked("maker@alpha")).toEqual([]);
  expect(await (await filesOf(first.tree)).tasks.list()).toMatchObject([
    { id: 1, subject: "paint", status: "pending" },
  ]);
});

test("promise 15: member whose definition is gone is named with the reason; the others resume", async () => {
  const files = { "home/.troupe/agents/expert.md": "---\nname: expert\ndescription: e\n---\nYou are an expert." };
  const first = await alpha({
    files,
    answer: leading(
      [{ calls: [mate("scout", "a", { subagent_type: "expert" }), mate("maker", "b")] }, { text: "waiting" }],
      () => ({ text: "done" }),
    ),
  });
  await first.ask("go");
  await inState(first, "scout", "idle");
  await inState(first, "maker", "idle");
  await first.close();
  rmSync(first.tree.path("home/.troupe/agents/expert.md"));

  const second = await alpha({
    tree: first.tree,
    resume: first.session.id,
    answer: ({ agent, request }) =>
      agent === "lead"
        ? { text: /cannot restart scout/.test(textOf(request.messages)) ? "I know" : "who?" }
        : undefined,
  });
  await inState(second, "maker", "idle");
  const message = "cannot restart scout: Agent type expert, used by scout, no longer exists.";
  expect(second.all("notice.raised").map((notice) => notice.message)).toContain(message);
  expect(await membersOf(first.tree)).toMatchObject([{ name: "scout", ended: { reason: "lost" } }, { name: "maker" }]);
  expect(await second.ask("who is there?")).toMatchObject({ text: "I know" });
});

test("promise 15: member whose transcript is gone resumes without it; user, lead and member know", async () => {
  const first = await alpha({
    answer: leading([{ calls: [mate("scout", "look around"), mate("maker", "make it")] }, { text: "waiting" }], () => ({
      text: "done",
    })),
  });
  await first.ask("go");
  await inState(first, "scout", "idle");
  await inState(first, "maker", "idle");
  const sessionId = (await membersOf(first.tree))[0]?.sessionId ?? "";
  await first.close();
  const projects = first.tree.path("home/.troupe/projects");
  const files = readdirSync(projects, { recursive: true, encoding: "utf8" }).filter((name) => name.includes(sessionId));
  for (const name of files) rmSync(join(projects, name), { recursive: true, force: true });

  const second = await alpha({
    tree: first.tree,
    resume: first.session.id,
    answer: (ask) =>
      ask.agent === "lead"
        ? { text: everything(ask).includes("scout is back without its memory") ? "I know" : "who?" }
        : { text: "here" },
  });
  await inState(second, "scout", "idle");
  await inState(second, "maker", "idle");
  await second.until(
    (event) =>
      event.type === "notice.raised" &&
      event.message.includes(`the transcript of its session ${sessionId} no longer exists`),
  );
  // Its report to the first run of the lead may arrive before.
  await second.until((event) => event.type === "mail.received" && event.from === "scout" && event.kind === "text");
  expect(await second.ask("who is there?")).toMatchObject({ text: "I know" });
  expect(second.all("notice.raised").filter(({ message }) => message.includes("maker"))).toEqual([]);
  await second.command({ type: "mail.send", to: "scout", text: "and now?" });
  await second.until(() => second.asked("scout@alpha").length > 0);
  expect(everything(second.asked("scout@alpha")[0]!)).toContain("<troupe-notice>\\nYou were in this team before");
});

test("promise 15: member that joined before a crash without its prompt receives it on resume", async () => {
  const first = await alpha({ answer: () => ({ text: "fine" }) });
  await first.ask("go");
  await first.close();
  const { record } = await filesOf(first.tree);
  await record.join({
    name: "scout",
    prompt: "look around",
    agentType: "general-purpose",
    model: first.model.ref,
    mode: "bypassPermissions",
    cwd: first.cwd,
    backendType: "in-process",
    sessionId: ports.createId<SessionId>("ses"),
    startedBy: "agt_x",
    callId: "call_lead_1_1",
  });
  const second = await alpha({
    tree: first.tree,
    resume: first.session.id,
    answer: leading([], () => ({ text: "seen" })),
  });
  await second.until(() => second.asked("scout@alpha").length > 0);
  await inState(second, "scout", "idle");
  expect(second.asked("scout@alpha")).toHaveLength(1);
  expect(second.asked("scout@alpha")[0]?.said).toContain("look around");
});

test("promise 15: unreleased task of an ended member returns to the list and is completed", async () => {
  const first = await alpha({
    answer: leading([{ calls: [mate("scout"), mate("maker")] }, { text: "waiting" }], () => ({ text: "done" })),
  });
  await first.ask("go");
  await inState(first, "scout", "idle");
  await inState(first, "maker", "idle");
  await first.close();
  // As after a kill of the lead right after it recorded that one of them is lost.
  const { record, tasks } = await filesOf(first.tree);
  await tasks.create({ subject: "paint it", description: "" }, { name: "team-lead" });
  await tasks.claim(1, { name: "scout" });
  await record.end("scout", { reason: "lost", detail: "its process is gone" });
  const second = await alpha({
    tree: first.tree,
    resume: first.session.id,
    answer: leading([], ({ said }) => ({ text: said.includes("paint it") ? "painted" : "done" })),
  });
  await second.until((event) => event.type === "mail.received" && event.from === "maker");
  expect(await tasks.get(1)).toMatchObject({ owner: "maker" });
  const message = "Some tasks were still owned by members that have ended. Released to the task list: #1.";
  await second.until((event) => event.type === "notice.raised" && event.message === message);
});

test("promise 15: member that was in the middle of its work continues it", async () => {
  const first = await alpha({
    answer: leading([{ calls: [mate("scout", "dig deep")] }, { text: "waiting" }], () => hang),
  });
  await first.ask("go");
  await inState(first, "scout", "working");
  await first.close();
  const second = await alpha({
    tree: first.tree,
    resume: first.session.id,
    answer: leading([], () => ({ text: "dug" })),
  });
  await inState(second, "scout", "idle");
  await second.until((event) => event.type === "mail.received" && event.kind === "idle_notification");
  expect(textOf(second.asked("scout@alpha")[0]!.request.messages).match(/dig deep/g)).toHaveLength(1);
  const log = await memberLog(first.tree, "scout");
  expect(log.filter((event) => event.type === "prompt.admitted" && event.source === "mail")).toHaveLength(1);
});

test("promise 15: lead does not wait for a member that has reported but lost the marks of its inbox", async () => {
  const first = await alpha({
    answer: leading([{ calls: [mate("scout", "look around")] }, { text: "waiting" }], () => ({ text: "done" })),
  });
  await first.ask("go");
  await expect.poll(() => first.session.backgroundRunning()).toEqual([]);
  await first.close();
  const inbox = first.tree.path("home/.troupe/teams/alpha/inboxes/scout.jsonl");
  const lines = readFileSync(inbox, "utf8").split("\n");
  expect(lines.some((line) => line.startsWith('{"mark"'))).toBe(true);
  writeFileSync(inbox, lines.filter((line) => !/^\{"mark"|stop_request/.test(line)).join("\n"));

  const second = await alpha({
    tree: first.tree,
    resume: first.session.id,
    answer: ({ agent }) => (agent === "lead" ? { text: "back" } : undefined),
  });
  await second.ask("again");
  await expect.poll(() => second.session.backgroundRunning(), { timeout: 20_000 }).toEqual([]);
  expect(second.asked("scout@alpha")).toEqual([]);
});

test("promise 15: damaged keys are replaced with a notice, and the team resumes", async () => {
  const first = await alpha({
    answer: leading([{ calls: [mate("scout", "look around")] }, { text: "waiting" }], () => ({ text: "done" })),
  });
  await first.ask("go");
  await inState(first, "scout", "idle");
  await first.close();
  const keys = first.tree.path("home/.troupe/teams/alpha/keys");
  for (const name of readdirSync(keys)) writeFileSync(join(keys, name), Buffer.alloc(65));

  const second = await alpha({
    tree: first.tree,
    resume: first.session.id,
    answer: ({ agent, said }) => ({ text: agent === "lead" ? "back" : `heard ${said}` }),
  });
  await inState(second, "scout", "idle");
  await second.command({ type: "mail.send", to: "scout", text: "and now?" });
  await second.until(() => second.asked("scout@alpha").length > 0);
  expect(second.asked("scout@alpha")[0]?.said).toContain("and now?");
  const notices = second.all("notice.raised").map(({ message }) => message);
  for (const name of ["user", "scout"])
    expect(notices).toContainEqual(expect.stringContaining(`The key of ${name} was damaged`));
});
