import { expect, onTestFinished, test } from "vitest";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { TroupeError } from "../../../src/protocol/index.ts";
import { withAssignmentMail } from "../../../src/team/mailbox/assign-task.ts";
import { createTeam } from "../../../src/team/index.ts";
import { sendWithDiskFullRetry } from "../../../src/team/storage/disk-full-retry-team.ts";
import type { OutgoingMail } from "../../../src/team/mailbox/mailbox.ts";
import { createTestClock } from "../../../src/testing.ts";
import { alpha, filesOf, inState, leading, mate } from "../../support/team/scripted-team.ts";
import { mailOf } from "../../support/mail/session-mailbox.ts";
import { tempTree } from "../../support/files/temp-tree.ts";
import { heldBackend, ledTeam } from "../../support/team/led-team.ts";
import { teamSession } from "../../support/team/team-session.ts";

const bodiesOf = async (mailbox: { readAll: Awaited<ReturnType<typeof mailOf>>["readAll"] }, name: string) =>
  (await mailbox.readAll(name)).filter(({ body }) => body.kind !== "text").map(({ from, body }) => ({ from, ...body }));

test("a member gets mail for each assigned pending task; an unknown name is refused with the nearest", async () => {
  const team = await alpha({
    answer: leading([{ calls: [mate("worker")] }, { text: "waiting" }], ({ said }) => ({
      text: said.includes("Task #1 is yours now, assigned by user: dig") ? "I shall dig" : "ready",
    })),
  });
  await team.ask("go");
  await inState(team, "worker", "idle");
  const { tasks } = await filesOf(team.tree);
  // No member claims it by itself.
  await tasks.create({ subject: "dig", description: "", needs: ["Spade"] }, { name: "user" });
  const give = (owner: string) => team.command({ type: "task.update", taskId: 1, owner });
  expect(await give("wrker")).toMatchObject({ ok: false, message: expect.stringContaining("Did you mean worker?") });
  expect((await tasks.get(1))?.owner).toBeUndefined();
  expect(await give("worker")).toEqual({ ok: true });
  await team.until((event) => event.type === "prompt.admitted" && JSON.stringify(event).includes("I shall dig"));
  expect(await give("worker@alpha")).toEqual({ ok: true });
  expect(await give("user")).toEqual({ ok: true });
  const told = {
    from: "user",
    kind: "task_assignment",
    taskId: 1,
    subject: "dig",
    description: "",
    assignedBy: "user",
  };
  expect(await bodiesOf(await mailOf(team.tree), "worker")).toEqual([told, told]);
  expect(await team.command({ type: "member.stop", name: "worker", now: true })).toEqual({ ok: true });
  expect(await give("worker")).toMatchObject({ ok: false, message: expect.stringContaining("has ended") });
});

test("on the session's own list a task belongs to the lead or the user only", async () => {
  const team = await teamSession({ stored: true, answer: () => ({ text: "done" }) });
  expect(await team.command({ type: "task.create", subject: "dig" })).toEqual({ ok: true });
  const give = (owner: string) => team.command({ type: "task.update", taskId: 1, owner });
  expect(await give("worker")).toMatchObject({ ok: false, message: expect.stringContaining("the session's own") });
  expect(await give("team-lead")).toEqual({ ok: true });
  await team.until((event) => event.type === "task.changed" && event.task.owner === "lead");
});

test("a task that the user reopens stays with its last owner, who is notified once", async () => {
  const { path } = tempTree({ "home/.troupe/settings.json": {} });
  const ports = {
    home: path("home/.troupe"),
    cwd: path("home"),
    clock: systemClock,
    createId: createIdFactory(systemClock),
  };
  const team = await createTeam("beta", { ...ports, members: ["anna", "bert"] });
  onTestFinished(() => team.close());
  const user = { name: "user" };
  for (const subject of ["dig", "lay"]) {
    await team.tasks.create({ subject, description: "" }, user);
    const id = subject === "dig" ? 1 : 2;
    await team.tasks.claim(id, { name: "bert" });
    await team.tasks.complete(id, { name: "bert" });
  }
  const reopened = await team.tasks.update(1, { status: "pending" }, user);
  expect(reopened).toMatchObject({ ok: true, item: { status: "pending", owner: "bert" } });
  const mails = (await team.mailbox.readAll("bert")).map(({ body }) => body);
  expect(mails).toEqual([
    { kind: "text", text: expect.stringMatching(/^#1 is reopened by user: dig\nIt is yours again/) },
  ]);
  const released = await team.tasks.update(2, { status: "pending", owner: null }, user);
  expect(released).toMatchObject({ ok: true, item: { status: "pending" } });
  expect((await team.tasks.get(2))?.owner).toBeUndefined();
});

test("a task of the session's own list that the user reopens stays with its owner", async () => {
  const team = await teamSession({ stored: true, answer: () => ({ text: "done" }) });
  const set = (change: object) => team.command({ type: "task.update", taskId: 1, ...change });
  await team.command({ type: "task.create", subject: "dig" });
  await set({ owner: "team-lead" });
  await set({ status: "completed" });
  expect(await set({ status: "pending" })).toEqual({ ok: true });
  const seen: unknown[] = [];
  await team.until((event) => {
    if (event.type === "task.changed") seen.push([event.task.status, event.task.owner]);
    return seen.length === 4;
  });
  expect(seen.slice(1)).toEqual([
    ["pending", "lead"],
    ["completed", "lead"],
    ["pending", "lead"],
  ]);
});

test("an assignment by a program also sends mail", async () => {
  const { path } = tempTree({ "home/.troupe/settings.json": {} });
  const ports = {
    home: path("home/.troupe"),
    cwd: path("home"),
    clock: systemClock,
    createId: createIdFactory(systemClock),
  };
  const team = await createTeam("beta", { ...ports, members: ["anna", "bert"] });
  onTestFinished(() => team.close());
  const anna = { name: "anna" };
  const made = await team.tasks.create({ subject: "dig", description: "deep", owner: "bert" }, anna);
  expect(made).toMatchObject({ ok: true, item: { owner: "bert" } });
  const mail = { from: "anna", kind: "task_assignment", subject: "dig", description: "deep", assignedBy: "anna" };
  expect(await bodiesOf(team.mailbox, "bert")).toEqual([{ ...mail, taskId: 1 }]);
  await team.tasks.create({ subject: "lay", description: "", owner: "anna" }, anna);
  expect(await bodiesOf(team.mailbox, "anna")).toEqual([]);
  const refused = (words: string) => ({ ok: false, reason: "nobody", message: expect.stringContaining(words) });
  expect(await team.tasks.update(2, { owner: "brt" }, anna)).toEqual(refused("Did you mean bert?"));
  expect(await team.tasks.create({ subject: "x", description: "", owner: "brt" }, anna)).toEqual(
    refused('Team beta has no member "brt".'),
  );
  expect(await team.tasks.update(2, { owner: "bert" }, { name: "missing" })).toEqual(
    refused('Team beta has no member "missing".'),
  );
  expect((await team.tasks.list()).map(({ id, owner }) => [id, owner])).toEqual([
    [1, "bert"],
    [2, "anna"],
  ]);
  expect(await bodiesOf(team.mailbox, "bert")).toHaveLength(1);
});

/** A task list for a team with one worker, whose mail first fails for this reason. */
async function givenWhen(problem: Error) {
  const { stored } = await ledTeam({ backend: heldBackend({}) });
  await stored.record.join({ name: "worker", cwd: "/", backendType: "remote" });
  await stored.tasks.create({ subject: "dig", description: "" }, { name: "user" });
  const clock = createTestClock();
  const tried: (string | undefined)[] = [];
  const mailbox = {
    send: async ({ id }: OutgoingMail) => {
      if (id === undefined) expect.unreachable("it has no id");
      tried.push(id);
      if (tried.length === 1) throw problem;
      return { id };
    },
  };
  const { signal } = new AbortController();
  const send = sendWithDiskFullRetry(mailbox, { clock, createId: createIdFactory(clock), signal });
  const members = async () => stored.record.current().members;
  const tasks = withAssignmentMail(stored.tasks, { team: "alpha", members, send });
  return { clock, tried, tasks, give: () => tasks.update(1, { owner: "worker" }, { name: "user" }) };
}

test("an assignment on a full disk sends one mail as soon as there is space", async () => {
  const cause = Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
  const { clock, tried, give } = await givenWhen(new TroupeError("storage", "cannot write", { cause }));
  const given = give();
  await expect.poll(() => clock.sleeping).toBe(1);
  await clock.advance(1_000);
  expect(await given).toMatchObject({ ok: true, item: { owner: "worker" } });
  expect(tried).toHaveLength(2);
  expect(new Set(tried).size).toBe(1);
});

test("a member that missed its mail gets it on the next assignment, until the task is started", async () => {
  const { tried, tasks, give } = await givenWhen(new TroupeError("mail", "too many"));
  await expect(give()).rejects.toThrow("too many");
  expect((await tasks.get(1))?.owner).toBe("worker");
  expect(await give()).toMatchObject({ ok: true });
  expect(tried).toHaveLength(2);
  expect(await tasks.claim(1, { name: "worker" })).toMatchObject({ ok: true });
  expect(await give()).toMatchObject({ ok: true });
  expect(tried).toHaveLength(2);
});
