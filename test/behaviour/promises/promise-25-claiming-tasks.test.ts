import { expect, test } from "vitest";
import type { Event, WorkItem } from "../../../src/protocol/index.ts";
import type { Ask } from "../../../src/testing.ts";
import { alpha, filesOf, hang, inState, leading, mate } from "../../support/team/scripted-team.ts";

const files = {
  "home/.troupe/agents/reader.md": "---\nname: reader\ndescription: r\ntools: Read, Grep, Edit\n---\nYou read.",
};
const create = (subject: string, more: object = {}) => ({
  tool: "TaskCreate",
  input: { subject, description: "d", ...more },
});
const taskIn = ({ said, result }: Ask) => (result?.tool === "TaskUpdate" ? undefined : /taskId (\d+)/.exec(said)?.[1]);
const complete = (ask: Ask) => {
  const id = taskIn(ask);
  if (id === undefined) return { text: "nothing to do" };
  return { calls: [{ tool: "TaskUpdate", input: { taskId: Number(id), status: "completed" } }] };
};
const task = (id: number, fits: (task: WorkItem) => boolean) => (event: Event) =>
  event.type === "task.changed" && event.task.id === id && fits(event.task);

test("promise 25: idle member claims only tasks its tools can do; an unblocked task wakes it", async () => {
  const team = await alpha({
    files,
    answer: leading(
      [
        {
          calls: [
            create("write it", { needs: ["Write"] }),
            create("read it", { needs: ["Read"] }),
            create("check it", { needs: ["Read"], blockedBy: [1] }),
            mate("reader", "wait", { subagent_type: "reader" }),
          ],
        },
        { text: "waiting" },
      ],
      complete,
    ),
  });
  await team.ask("go");
  await team.until(task(2, ({ status, owner }) => status === "completed" && owner === "reader"));
  await inState(team, "reader", "idle");
  const { tasks } = await filesOf(team.tree);
  expect((await tasks.list()).map(({ owner, status }) => ({ owner, status }))).toEqual([
    { owner: undefined, status: "pending" },
    { owner: "reader", status: "completed" },
    { owner: undefined, status: "pending" },
  ]);
  // The first task is completed by other means. That unblocks the second one and wakes the idle reader.
  expect(await team.command({ type: "task.update", taskId: 1, status: "completed" })).toEqual({
    ok: true,
  });
  await team.until(task(3, ({ status, owner }) => status === "completed" && owner === "reader"));
});

test("promise 25: task of a stopped member is released and wakes a waiting member", async () => {
  const team = await alpha({
    answer: leading(
      [
        { calls: [create("dig")] },
        { calls: [mate("first", "wait")] },
        { text: "waiting" },
        { calls: [mate("second", "wait")] },
        { text: "waiting" },
      ],
      (ask) => (ask.agent === "first@alpha" && taskIn(ask) !== undefined ? hang : complete(ask)),
    ),
  });
  await team.ask("go");
  await team.until(task(1, ({ status, owner }) => status === "in_progress" && owner === "first"));
  await team.ask("and another");
  await inState(team, "second", "idle");
  expect(await team.command({ type: "member.stop", name: "first", now: true })).toEqual({ ok: true });
  await team.until(task(1, ({ status, owner }) => status === "completed" && owner === "second"));
});

test("promise 25: member assigned to a blocked task starts it when it is unblocked", async () => {
  const team = await alpha({
    files,
    answer: leading(
      [
        {
          calls: [
            create("write it", { needs: ["Write"] }),
            create("check it", { blockedBy: [1] }),
            mate("reader", "wait", { subagent_type: "reader" }),
            mate("other", "wait", { subagent_type: "reader" }),
          ],
        },
        { calls: [{ tool: "TaskUpdate", input: { taskId: 2, owner: "reader" } }] },
        { text: "waiting" },
      ],
      complete,
    ),
  });
  await team.ask("go");
  const told = (event: Event) => event.type === "mail.received" && event.kind === "task_assignment";
  await team.until(told);
  await inState(team, "reader", "idle");
  await inState(team, "other", "idle");
  expect(await team.command({ type: "task.update", taskId: 1, status: "completed" })).toEqual({ ok: true });
  await team.until(task(2, ({ status, owner }) => status === "completed" && owner === "reader"));
  const said = team.asked("reader@alpha").map((ask) => ask.said);
  expect(said.filter((each) => each.includes("Your task was blocked."))).not.toEqual([]);
  expect(JSON.stringify(team.asked("other@alpha").map((ask) => ask.said))).not.toContain("check it");
});

test("promise 25: task that a member returned waits for the lead, and no idle member claims it", async () => {
  const team = await alpha({
    answer: leading(
      [
        { calls: [create("verify", { owner: "checker" }), mate("author")] },
        { calls: [mate("checker")] },
        { text: "waiting" },
      ],
      (ask) => {
        const id = ask.agent === "checker@alpha" ? taskIn(ask) : undefined;
        if (id === undefined) return { text: ask.agent === "checker@alpha" ? "I cannot" : "nothing to do" };
        return { calls: [{ tool: "TaskUpdate", input: { taskId: Number(id), status: "pending" } }] };
      },
    ),
  });
  await team.ask("go");
  const { event } = await team.until(
    (each) => each.type === "prompt.admitted" && JSON.stringify(each).includes("These tasks are open"),
  );
  expect(JSON.stringify(event)).toContain("#1 [pending] verify [returned by checker]");
  const { tasks } = await filesOf(team.tree);
  expect(await tasks.get(1)).toMatchObject({ status: "pending", past: [{ owner: "checker", returned: true }] });
  expect(JSON.stringify(team.asked("author@alpha").map((ask) => ask.said))).not.toContain("verify");
});

test("promise 25: member does not reclaim a task it released until the lead or user changes it", async () => {
  const back = (ask: Ask) => {
    const id = taskIn(ask);
    if (id === undefined) return { text: "I cannot" };
    const status = ask.said.includes("by hand") ? "completed" : "pending";
    return { calls: [{ tool: "TaskUpdate", input: { taskId: Number(id), status } }] };
  };
  const team = await alpha({
    answer: leading([{ calls: [create("dig"), mate("digger")] }, { text: "waiting" }], back),
  });
  await team.ask("go");
  const released = task(1, ({ status, generation }) => status === "pending" && generation > 0);
  await team.until(released);
  // The lead wakes: all members are idle and a task is open.
  await team.until(
    (event) => event.type === "prompt.admitted" && JSON.stringify(event).includes("These tasks are open"),
  );
  const { tasks } = await filesOf(team.tree);
  expect(await tasks.get(1)).toMatchObject({ status: "pending", generation: 1 });
  await tasks.update(1, { description: "by hand" }, { name: "user" });
  await team.until(task(1, ({ status, owner }) => status === "completed" && owner === "digger"));
});
