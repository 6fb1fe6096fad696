import { describe, expect, test } from "vitest";
import { toolSpecs } from "../../../src/tool/index.ts";
import { createTaskTools } from "../../../src/team/index.ts";
import { teamBench } from "../../support/tools/team-tool-bench.ts";

const task = (subject: string, more: object = {}) => ({ subject, description: `all about ${subject}`, ...more });

describe("3.6 TaskCreate, TaskGet, TaskList", () => {
  test("a blocked task without an owner says who gets it", async () => {
    const it = await teamBench();
    await it.call("team-lead", "TaskCreate", task("first"));
    const { text } = await it.call("team-lead", "TaskCreate", task("second", { blockedBy: ["1"] }));
    expect(text).toMatch(
      /No owner: an idle teammate gets it as soon as nothing blocks it\. .*team-lead keeps it for you/,
    );
  });

  test("a task gets the next number and is in the log of its creator", async () => {
    const it = await teamBench();
    expect(await it.call("alice", "TaskCreate", task("first"))).toEqual({
      ok: true,
      text: "Task #1 created.\n#1 [pending] first",
    });
    await it.call("bob", "TaskCreate", task("second", { activeForm: "Doing it", metadata: { k: "v" } }));
    expect(it.events).toEqual([
      { type: "task.created", team: "parser", taskId: 1, subject: "first", by: "alice" },
      { type: "task.created", team: "parser", taskId: 2, subject: "second", by: "bob" },
    ]);
    expect(await (await it.elsewhere()).tasks.list()).toMatchObject([
      { id: 1, subject: "first", description: "all about first", createdBy: "alice", status: "pending" },
      { id: 2, activeForm: "Doing it", metadata: { k: "v" }, createdBy: "bob" },
    ]);
  });

  test("the list has number, state, subject, owner and open blockers; completed blockers drop out", async () => {
    const it = await teamBench();
    expect((await it.call("alice", "TaskList")).text).toBe("There are no tasks.");
    await it.call("alice", "TaskCreate", task("first task"));
    await it.call("alice", "TaskCreate", task("second", { blockedBy: ["#1"] }));
    await it.call("bob", "TaskUpdate", { taskId: "1", status: "in_progress" });
    await it.call("team-lead", "TaskUpdate", { taskId: 2, owner: "alice" });
    expect((await it.call("alice", "TaskList")).text).toBe(
      "#1 [in_progress] first task (bob)\n#2 [pending] second (alice) [blocked by #1]",
    );
    await it.call("bob", "TaskUpdate", { taskId: 1, status: "completed" });
    expect((await it.call("alice", "TaskList")).text).toBe(
      "#1 [completed] first task (bob)\n#2 [pending] second (alice)",
    );
  });

  test.each(["1", 1, "#1", " #1 "])("%j names a task", async (taskId) => {
    const it = await teamBench();
    await it.call("alice", "TaskCreate", task("first"));
    expect((await it.call("alice", "TaskGet", { taskId })).text).toContain("all about first");
  });

  test.each(["", "one", "#", 0, -1, 1.5, "1; drop"])("%j is not a task number", async (taskId) => {
    const it = await teamBench();
    const said = await it.call("alice", "TaskGet", { taskId });
    expect(said).toMatchObject({ ok: false });
    expect(said.text).toMatch(/is not the number of a task/);
  });

  test("an unknown task is an error that says where to look", async () => {
    const it = await teamBench();
    const said = { ok: false, text: "There is no task #9. TaskList shows the tasks." };
    expect(await it.call("alice", "TaskGet", { taskId: 9 })).toEqual(said);
    expect(await it.call("alice", "TaskUpdate", { taskId: 9, status: "in_progress" })).toEqual(said);
  });

  test("TaskGet shows all fields, and which tools this agent lacks", async () => {
    const it = await teamBench({ toolsOf: { alice: ["Read"] } });
    await it.call("bob", "TaskCreate", task("first"));
    await it.call("bob", "TaskCreate", {
      ...task("second"),
      blockedBy: [1],
      needs: ["Bash"],
      acceptance: [{ command: "npm test" }],
      metadata: { area: "parser" },
    });
    const { text } = await it.call("alice", "TaskGet", { taskId: 2 });
    expect(text.replace(/\d{4}-[\dT:.-]+Z/, "THEN")).toMatchInlineSnapshot(`
      "#2 [pending] second [blocked by #1] [needs Bash, which you do not have]
      needs: Bash
      check: npm test
      created by bob, THEN
      metadata: {"area":"parser"}

      all about second"
    `);
    expect((await it.call("alice", "TaskGet", { taskId: 1 })).text).toContain("blocks: #2");
  });

  test("an unknown blocker is refused, and nothing is created", async () => {
    const it = await teamBench();
    const said = await it.call("alice", "TaskCreate", task("first", { blockedBy: [7] }));
    expect(said.ok).toBe(false);
    expect(said.text).toMatch(/no task 7.*not created/s);
    expect(await it.stored.tasks.list()).toEqual([]);
    expect(it.events).toEqual([]);
  });

  test("control characters from a model do not reach the list", async () => {
    const it = await teamBench();
    await it.call("alice", "TaskCreate", { subject: "a\u001b[31mred\u001b[0m", description: "x\u0007y" });
    expect(await it.stored.tasks.get(1)).toMatchObject({ subject: "ared", description: "xy" });
  });

  test("a hook can prevent a task: nothing is written, and the model gets the reason", async () => {
    const hooks = { taskCreated: async () => "Say which file.", taskCompleted: async () => undefined };
    const it = await teamBench({ hooks });
    const said = await it.call("alice", "TaskCreate", task("vague"));
    expect(said.ok).toBe(false);
    expect(said.text).toContain("not created: a hook of the user objects.\nSay which file.");
    expect(await it.stored.tasks.list()).toEqual([]);
  });

  test("outside a team the list is the session's own", async () => {
    const it = await teamBench({ alone: true });
    await it.call("lead", "TaskCreate", task("mine"));
    expect(await it.call("lead", "TaskUpdate", { taskId: 1, status: "in_progress" })).toMatchObject({ ok: true });
    const said = await it.call("lead", "TaskUpdate", { taskId: 1, owner: "bob" });
    expect(said.text).toMatch(/There is no member "bob": this task list is yours alone/);
    expect(it.events).toEqual([
      { type: "task.created", taskId: 1, subject: "mine", by: "lead" },
      { type: "task.claimed", taskId: 1, subject: "mine", by: "lead" },
    ]);
  });
});

describe("3.6 TaskUpdate", () => {
  test("in_progress claims a task without an owner; the second claimant learns the owner", async () => {
    const it = await teamBench();
    await it.call("alice", "TaskCreate", task("first"));
    expect(await it.call("bob", "TaskUpdate", { taskId: 1, status: "in_progress" })).toEqual({
      ok: true,
      text: "Task #1 is yours.\n#1 [in_progress] first (bob)",
    });
    const late = await it.call("alice", "TaskUpdate", { taskId: 1, status: "in_progress" });
    expect(late.ok).toBe(false);
    expect(late.text).toMatch(/bob/);
    expect(it.events.at(-1)).toEqual({ type: "task.claimed", team: "parser", taskId: 1, subject: "first", by: "bob" });
  });

  test("one of many concurrent claims wins, and each other claimant learns its owner", async () => {
    const names = Array.from({ length: 12 }, (_, n) => `worker${n}`);
    const it = await teamBench({ members: names });
    await it.call("team-lead", "TaskCreate", task("wanted"));
    const said = await Promise.all(
      names.map((name) => it.call(name, "TaskUpdate", { taskId: 1, status: "in_progress", activeForm: `by ${name}` })),
    );
    const owner = (await it.stored.tasks.get(1))?.owner ?? "";
    expect(said.filter(({ ok }) => ok)).toHaveLength(1);
    for (const { text } of said.filter(({ ok }) => !ok)) expect(text).toContain(owner);
    expect((await it.stored.tasks.get(1))?.activeForm).toBe(`by ${owner}`);
  });

  test("the lead does not claim a task of another member", async () => {
    const it = await teamBench();
    await it.call("alice", "TaskCreate", task("first"));
    await it.call("bob", "TaskUpdate", { taskId: 1, status: "in_progress" });
    await it.call("team-lead", "TaskUpdate", { taskId: 1, status: "in_progress" });
    expect(await it.stored.tasks.get(1)).toMatchObject({ owner: "bob", status: "in_progress" });
    expect(it.events.filter(({ type, by }) => type === "task.claimed" && by === "team-lead")).toEqual([]);
  });

  test("blocked, busy and unfit claims are refused, each with what to do", async () => {
    const it = await teamBench({ toolsOf: { alice: ["Read"] } });
    await it.call("team-lead", "TaskCreate", task("first"));
    await it.call("team-lead", "TaskCreate", task("second", { blockedBy: [1] }));
    await it.call("team-lead", "TaskCreate", task("third", { needs: ["Bash"] }));
    const claim = (who: string, taskId: number) => it.call(who, "TaskUpdate", { taskId, status: "in_progress" });
    expect((await claim("alice", 2)).text).toMatch(/blocked by task 1.*or end your turn/s);
    expect((await claim("alice", 3)).text).toMatch(/needs tools that alice does not have: Bash/);
    expect((await it.call("alice", "TaskList")).text).toContain(
      "#3 [pending] third [needs Bash, which you do not have]",
    );
    await claim("bob", 1);
    expect((await claim("bob", 3)).text).toMatch(/has task 1 in progress/);
    expect((await it.stored.tasks.list()).map(({ owner }) => owner)).toEqual(["bob", undefined, undefined]);
  });

  test("a claim and a change in one call take effect together or not at all", async () => {
    const it = await teamBench();
    await it.call("alice", "TaskCreate", task("first"));
    const said = await it.call("bob", "TaskUpdate", { taskId: 1, status: "in_progress", addBlockedBy: [5] });
    expect(said.text).toMatch(/no task 5.*Nothing was changed/s);
    expect(await it.stored.tasks.get(1)).toMatchObject({ status: "pending", blockedBy: [] });
    const both = await it.call("bob", "TaskUpdate", { taskId: 1, status: "in_progress", metadata: { at: "bench" } });
    expect(both.ok).toBe(true);
    expect(await it.stored.tasks.get(1)).toMatchObject({ owner: "bob", metadata: { at: "bench" } });
  });

  test("pending releases a task; deleted removes it, and its number is not reused", async () => {
    const it = await teamBench();
    await it.call("alice", "TaskCreate", task("first"));
    await it.call("bob", "TaskUpdate", { taskId: 1, status: "in_progress" });
    expect((await it.call("bob", "TaskUpdate", { taskId: 1, status: "pending" })).text).toBe(
      "Task #1 changed. It waits for team-lead, and no other member gets it by itself. Say why in your last answer.\n#1 [pending] first [returned by bob]",
    );
    expect((await it.stored.tasks.get(1))?.owner).toBeUndefined();
    expect((await it.call("alice", "TaskUpdate", { taskId: 1, status: "deleted" })).text).toBe("Task #1 deleted.");
    expect((await it.call("alice", "TaskCreate", task("next"))).text).toContain("#2");
    expect((await it.call("alice", "TaskGet", { taskId: 1 })).ok).toBe(false);
  });

  test("the answer to a deletion names the open tasks that waited for it", async () => {
    const it = await teamBench();
    for (const subject of ["first", "second"]) await it.call("alice", "TaskCreate", task(subject));
    await it.call("alice", "TaskCreate", task("third", { owner: "bob", blockedBy: [1, 2] }));
    expect((await it.call("alice", "TaskUpdate", { taskId: 1, status: "deleted" })).text).toBe(
      "Task #1 deleted. No longer blocked by it: #3 (bob).",
    );
  });

  test("completing a task names the files of its worktree that are not committed", async () => {
    const work = { path: "/w", branch: "troupe/bob", commits: 1 };
    const left = new Map([
      ["bob", { ...work, uncommittedFiles: 1, uncommitted: ["test.js"] }],
      ["alice", { ...work, uncommittedFiles: 0, uncommitted: [] }],
    ]);
    const it = await teamBench({ unlandedWork: async (name) => left.get(name) });
    for (const subject of ["first", "second", "third"]) await it.call("alice", "TaskCreate", task(subject));
    const complete = (who: string, taskId: number) => it.call(who, "TaskUpdate", { taskId, status: "completed" });
    expect((await complete("bob", 1)).text).toContain(
      "Task #1 is completed. Your worktree has 1 uncommitted file (test.js): commit it, only commits land.",
    );
    expect((await complete("alice", 2)).text).toBe("Task #2 is completed. TaskList shows what is left.");
    await it.call("bob", "TaskUpdate", { taskId: 3, status: "in_progress" });
    expect((await complete("team-lead", 3)).text).toContain(
      "The worktree of bob has 1 uncommitted file (test.js): have bob commit it, only commits land.",
    );
  });

  test("fields change, metadata is merged and null removes a key", async () => {
    const it = await teamBench();
    await it.call("alice", "TaskCreate", task("first", { metadata: { a: 1, b: 2 } }));
    const change = { taskId: 1, subject: "better", description: "d", metadata: { b: null, c: 3 } };
    expect((await it.call("bob", "TaskUpdate", change)).text).toBe("Task #1 changed.\n#1 [pending] better");
    expect(await it.stored.tasks.get(1)).toMatchObject({
      subject: "better",
      description: "d",
      metadata: { a: 1, c: 3 },
    });
    expect((await it.call("bob", "TaskUpdate", { taskId: 1 })).text).toMatch(/No change was given for #1/);
  });

  test("cycles and self-blocks are refused, and nothing is changed", async () => {
    const it = await teamBench();
    await it.call("alice", "TaskCreate", task("first"));
    await it.call("alice", "TaskCreate", task("second", { blockedBy: [1] }));
    expect((await it.call("alice", "TaskUpdate", { taskId: 1, addBlockedBy: ["2"] })).text).toMatch(
      /In a cycle neither could start\..*Nothing was changed/s,
    );
    expect((await it.call("alice", "TaskUpdate", { taskId: 1, addBlocks: [1] })).text).toMatch(/cannot block itself/);
    expect(await it.stored.tasks.get(1)).toMatchObject({ blocks: [2], blockedBy: [] });
  });

  test("a new owner gets mail; oneself and the same owner again do not", async () => {
    const it = await teamBench();
    await it.call("team-lead", "TaskCreate", task("first"));
    const said = await it.call("team-lead", "TaskUpdate", { taskId: 1, owner: "alice" });
    expect(said.text).toBe("Task #1 changed. alice is notified by mail.\n#1 [pending] first (alice)");
    await it.call("team-lead", "TaskUpdate", { taskId: 1, owner: "alice", activeForm: "x" });
    expect(it.mails).toMatchObject([
      { from: "team-lead", to: "alice", wakes: true, body: { kind: "task_assignment", taskId: 1 } },
    ]);
    expect(it.events.at(-2)).toEqual({
      type: "task.updated",
      team: "parser",
      taskId: 1,
      owner: "alice",
      by: "team-lead",
    });
    await it.call("alice", "TaskUpdate", { taskId: 1, owner: "alice", status: "in_progress" });
    expect(it.mails).toHaveLength(1);
    await it.call("team-lead", "TaskUpdate", { taskId: 1, owner: "" });
    expect(await it.stored.tasks.get(1)).toMatchObject({ status: "pending" });
    expect((await it.stored.tasks.get(1))?.owner).toBeUndefined();
  });

  test("a member that lost its claim is asked to stop", async () => {
    const it = await teamBench();
    await it.call("alice", "TaskCreate", task("first"));
    await it.call("bob", "TaskUpdate", { taskId: 1, status: "in_progress" });
    const other = await it.elsewhere();
    await other.tasks.releaseGone(async () => "its lease is over");
    await other.tasks.claim(1, { name: "alice" });
    const said = await it.call("bob", "TaskUpdate", { taskId: 1, metadata: { done: true } });
    expect(said.text).toMatch(/Task 1 is not yours any more: it belongs to alice now\. Stop working on it/);
    expect(await it.stored.tasks.get(1)).toMatchObject({ owner: "alice", metadata: {} });
  });
});

describe("bounds", () => {
  test("oversized fields are refused by name", async () => {
    const it = await teamBench();
    const tooLong = await it.call("alice", "TaskCreate", { subject: "x".repeat(301), description: "" });
    expect(tooLong.text).toMatch(/`subject`/);
    const big = await it.call("alice", "TaskCreate", task("x", { metadata: { a: "y".repeat(30_000) } }));
    expect(big.text).toMatch(/`metadata`.*at most 20000 characters/);
    expect((await it.call("alice", "TaskCreate", { ...task("x"), color: "red" })).text).toMatch(
      /`color`: no such field/,
    );
  });

  test("a missing number of a task is named as missing", async () => {
    const it = await teamBench();
    expect((await it.call("alice", "TaskUpdate", { status: "completed" })).text).toContain(
      "`taskId`: is missing: give the number of a task as TaskList shows it",
    );
  });

  test("a schema is made on demand and is the same for all members", () => {
    const none = { list: () => Promise.reject(new Error()) } as never;
    const [first, second] = [createTaskTools(none), createTaskTools(none)];
    expect(first.map(({ name }) => name)).toEqual(["TaskCreate", "TaskGet", "TaskList", "TaskUpdate"]);
    expect(first[0]?.input).toBe(second[0]?.input);
    expect(Object.getOwnPropertyDescriptor(first[0], "input")?.get).toBeDefined();
    expect(toolSpecs(first)).toMatchSnapshot();
  });
});
