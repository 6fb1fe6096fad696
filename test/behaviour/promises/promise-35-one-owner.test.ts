import { expect, test } from "vitest";
import type { Event, WorkItem } from "../../../src/protocol/index.ts";
import type { Ask } from "../../../src/testing.ts";
import { mailOf } from "../../support/mail/session-mailbox.ts";
import { textOf } from "../../support/team/team-session.ts";
import { alpha, filesOf, hang, inState, leading, mate } from "../../support/team/scripted-team.ts";

const create = (subject: string, more: object = {}) => ({
  tool: "TaskCreate",
  input: { subject, description: `all about ${subject}`, ...more },
});
const update = (taskId: number, more: object) => ({ tool: "TaskUpdate", input: { taskId, ...more } });
const task = (id: number, fits: (task: WorkItem) => boolean) => (event: Event) =>
  event.type === "task.changed" && event.task.id === id && fits(event.task);
const completedBy = (id: number, owner: string) =>
  task(id, (item) => item.status === "completed" && item.owner === owner);
/** Completes the task that the runtime gave it, and ends its turn otherwise. */
const complete = ({ said, result }: Ask) => {
  const id = result?.tool === "TaskUpdate" ? undefined : /taskId (\d+)/.exec(said)?.[1];
  return id === undefined ? { text: "ready" } : { calls: [update(Number(id), { status: "completed" })] };
};
const saidTo = (team: Awaited<ReturnType<typeof alpha>>, agent: string) => team.asked(agent).map(({ said }) => said);

test("promise 35: tasks are created before their owners start, and each begins with its own", async () => {
  let docsBegin = () => {};
  const docsBegan = new Promise<void>((resolve) => {
    docsBegin = resolve;
  });
  const team = await alpha({
    answer: leading(
      [
        {
          calls: [
            create("the api", { owner: "api" }),
            create("the docs", { owner: "docs", blockedBy: [1] }),
            create("merge", { owner: "lead" }),
            update(2, { description: "all about the new docs" }),
          ],
        },
        { calls: [mate("docs", "Write the docs."), mate("api", "Build the api.")] },
        { text: "waiting" },
      ],
      async (ask) => {
        // The task of the docs is still blocked when they begin.
        if (ask.agent === "docs@alpha") docsBegin();
        else await docsBegan;
        return complete(ask);
      },
    ),
  });
  await team.ask("go");
  await team.until(completedBy(1, "api"));
  await team.until(completedBy(2, "docs"));
  const [first = ""] = saidTo(team, "api@alpha");
  expect(first).toContain("The task below is yours. It is now in progress.");
  expect(first).toContain("all about the api");
  expect(first).toContain("Build the api.");
  // Its own task was blocked, so it reads that, and does not begin it with its first turn.
  const [beginning = ""] = saidTo(team, "docs@alpha");
  expect(beginning).toContain("Write the docs.");
  expect(beginning).toMatch(
    /Task #2 is yours now, assigned by team-lead: the docs[\s\S]*#1 blocked it\. You get a message/,
  );
  expect(beginning).not.toContain("<task ");
  const { tasks } = await filesOf(team.tree);
  expect(await tasks.get(3)).toMatchObject({ owner: "team-lead", status: "pending" });
  // No result says that a member was notified before it was started.
  const results = textOf(team.asked("lead")[1]?.request.messages ?? []);
  expect(results).toContain("Task #2 changed.\\n#2 [pending] the docs (docs, not in the team yet)");
  expect(results).not.toContain("is notified");
});

test("promise 35: a task in Agent goes to the teammate with its start", async () => {
  const results: (string | undefined)[] = [];
  const team = await alpha({
    answer: leading(
      [
        { calls: [create("dig")] },
        { calls: [mate("digger", "Dig well.", { task: "#1" }), mate("other", "Wait.", { task: 9 })] },
        ({ result }) => {
          results.push(result?.text);
          return { text: "waiting" };
        },
      ],
      complete,
    ),
  });
  await team.ask("go");
  await team.until(completedBy(1, "digger"));
  expect(saidTo(team, "digger@alpha")[0]).toMatch(/taskId 1\).*all about dig.*Dig well\./s);
  expect(results.join("\n")).toContain("There is no task #9. TaskList shows the tasks. No teammate was started.");
  expect((await filesOf(team.tree)).record.current().members.map(({ name }) => name)).toEqual(["team-lead", "digger"]);
});

test("promise 35: a task that is created and given away in one answer has one owner, and no idle member claims it", async () => {
  const team = await alpha({
    answer: leading(
      [
        { calls: [mate("comparer"), mate("cycler")] },
        { text: "waiting" },
        { calls: [create("fix it"), update(1, { owner: "cycler" })] },
        { text: "waiting" },
      ],
      ({ said, result }) =>
        said.includes("Task #1 is yours now") && result?.tool !== "TaskUpdate"
          ? { calls: [update(1, { status: "completed" })] }
          : { text: "ready" },
    ),
  });
  await team.ask("go");
  await inState(team, "comparer", "idle");
  await inState(team, "cycler", "idle");
  await team.ask("fix it");
  await team.until(completedBy(1, "cycler"));
  const changes = await (await filesOf(team.tree)).tasks.history();
  expect(changes.map(({ what, by }) => `${what} by ${by}`)).toEqual([
    "created by team-lead",
    "changed by team-lead",
    "completed by cycler",
  ]);
  expect(saidTo(team, "comparer@alpha").join()).not.toContain("fix it");
});

test("promise 35: no task is claimed before the first turn of a member, or for a type that only reads", async () => {
  const files = {
    "home/.troupe/agents/reader.md": "---\nname: reader\ndescription: r\ntools: Read, Grep, Bash\n---\nYou read.",
  };
  const team = await alpha({
    files,
    answer: leading(
      [
        { calls: [create("write it"), create("check it")] },
        { calls: [mate("reader", "Look around.", { subagent_type: "reader" }), mate("worker", "Get ready.")] },
        { text: "waiting" },
      ],
      complete,
    ),
  });
  await team.ask("go");
  await team.until(completedBy(1, "worker"));
  await team.until(completedBy(2, "worker"));
  expect(saidTo(team, "worker@alpha")[0]).toContain("Get ready.");
  expect(saidTo(team, "worker@alpha")[0]).not.toContain("<task");
  expect(saidTo(team, "reader@alpha").join()).not.toContain("<task");
});

test("promise 35: the next owner of a released task reads who had it and its last words", async () => {
  const team = await alpha({
    answer: leading(
      [
        { calls: [create("dig", { owner: "first" }), mate("first", "Begin.")] },
        { text: "waiting" },
        { calls: [mate("second", "Get ready.")] },
        { text: "waiting" },
      ],
      (ask) => {
        if (ask.agent === "second@alpha") return complete(ask);
        return { text: "The hole is half done; the spade broke." };
      },
    ),
  });
  await team.ask("go");
  await inState(team, "first", "idle");
  expect(await team.command({ type: "member.stop", name: "first", now: true })).toEqual({ ok: true });
  await team.ask("and another");
  await team.until(completedBy(1, "second"));
  expect(saidTo(team, "second@alpha").join("\n")).toContain(
    "first had this task before and last said: The hole is half done; the spade broke.",
  );
});

test("promise 35: the user gives a begun task to another member, and all learn of it", async () => {
  const team = await alpha({
    answer: leading(
      [{ calls: [create("dig", { owner: "first" }), mate("first"), mate("second")] }, { text: "waiting" }],
      (ask) => {
        if (ask.agent === "first@alpha") return ask.said.includes("no longer yours") ? { text: "stopped" } : hang;
        return ask.said.includes("Task #1 is yours now") && ask.result?.tool !== "TaskUpdate"
          ? { calls: [update(1, { status: "completed" })] }
          : { text: "ready" };
      },
    ),
  });
  await team.ask("go");
  await team.until(task(1, ({ status, owner }) => status === "in_progress" && owner === "first"));
  expect(await team.command({ type: "task.update", taskId: 1, owner: "second" })).toEqual({ ok: true });
  await team.until(completedBy(1, "second"));
  const mail = await (await mailOf(team.tree)).readAll("first");
  const texts = mail.map(({ body }) => (body.kind === "text" ? body.text : body.kind));
  expect(texts.join("\n")).toContain("#1 is no longer yours: user gave it to second. Stop working on it.");
});

test("promise 35: mail about a task that wakes no member leaves nothing to wait for", async () => {
  const team = await alpha({
    answer: leading(
      [
        { calls: [create("dig", { owner: "first" })] },
        { calls: [mate("first", "Begin.")] },
        { text: "waiting" },
        { calls: [update(1, { status: "deleted" })] },
        { text: "it is gone" },
      ],
      () => ({ text: "half done" }),
    ),
  });
  await team.ask("go");
  await team.until((event) => event.type === "turn.ended" && JSON.stringify(event).includes("it is gone"));
  await expect.poll(() => team.session.backgroundRunning()).toEqual([]);
  expect(team.all("mail.sent", "lead").at(-1)).toMatchObject({ to: "first", quiet: true });
  expect(team.asked("first@alpha")).toHaveLength(1);
});
