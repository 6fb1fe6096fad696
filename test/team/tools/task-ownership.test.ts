import { describe, expect, test } from "vitest";
import { teamBench } from "../../support/tools/team-tool-bench.ts";

const task = (subject: string, more: object = {}) => ({ subject, description: `all about ${subject}`, ...more });
const claim = (taskId: number) => ({ taskId, status: "in_progress" });

describe("the owner in TaskCreate", () => {
  test("a member gets the task and is notified by mail", async () => {
    const it = await teamBench();
    const said = await it.call("team-lead", "TaskCreate", task("first", { owner: "alice" }));
    expect(said.text).toBe("Task #1 created. alice is notified by mail.\n#1 [pending] first (alice)");
    expect(it.mails).toMatchObject([{ to: "alice", wakes: true, body: { kind: "task_assignment", taskId: 1 } }]);
    expect((await it.call("bob", "TaskUpdate", claim(1))).text).toContain("Task 1 belongs to alice (pending).");
  });

  test("a member that is not started yet: the name is reserved, and the list says so", async () => {
    const it = await teamBench();
    const said = await it.call("team-lead", "TaskCreate", task("first", { owner: "carol" }));
    expect(said).toEqual({
      ok: true,
      text: "Task #1 created. carol is not in the team yet, and the task is reserved for it: start carol with Agent.\n#1 [pending] first (carol, not in the team yet)",
    });
    expect(it.mails).toEqual([]);
    expect((await it.call("bob", "TaskList")).text).toBe("#1 [pending] first (carol, not in the team yet)");
    expect((await it.call("bob", "TaskUpdate", claim(1))).ok).toBe(false);
    await it.stored.record.join({ name: "carol", cwd: it.tools.folder, backendType: "in-process" });
    expect((await it.call("bob", "TaskList")).text).toBe("#1 [pending] first (carol)");
    expect((await it.call("carol", "TaskUpdate", claim(1))).ok).toBe(true);
  });

  test("team-lead as owner keeps the task for the lead", async () => {
    const it = await teamBench();
    expect((await it.call("team-lead", "TaskCreate", task("merge", { owner: "team-lead" }))).text).toBe(
      "Task #1 created.\n#1 [pending] merge (team-lead)",
    );
    expect(it.mails).toEqual([]);
    expect((await it.call("alice", "TaskUpdate", claim(1))).ok).toBe(false);
    expect((await it.call("team-lead", "TaskUpdate", claim(1))).ok).toBe(true);
  });

  test.each([
    ["Alice", "alice"],
    ["alice@parser", "alice"],
    ["lead", "team-lead"],
  ])("%s means %s", async (owner, name) => {
    const it = await teamBench();
    await it.call("team-lead", "TaskCreate", task("first", { owner }));
    expect((await it.stored.tasks.get(1))?.owner).toBe(name);
  });

  test("the name of no member is reserved with a hint at the nearest one", async () => {
    const it = await teamBench();
    const said = await it.call("team-lead", "TaskCreate", task("first", { owner: "alise" }));
    expect(said.text).toContain("start alise with Agent. Did you mean alice?");
    const again = await it.call("team-lead", "TaskUpdate", { taskId: 1, owner: "alice" });
    expect(again.text).toBe(
      "Task #1 changed. It was reserved for alise. alice is notified by mail.\n#1 [pending] first (alice)",
    );
  });

  test("a teammate cannot reserve a task; the error lists who there is", async () => {
    const it = await teamBench();
    const said = await it.call("bob", "TaskCreate", task("first", { owner: "alise" }));
    expect(said).toEqual({
      ok: false,
      text: `There is no "alise" in the team. Did you mean alice? In the team: team-lead, alice, bob. The task was not created.`,
    });
    const alone = await teamBench({ members: ["bob"] });
    const unknown = await alone.call("bob", "TaskUpdate", { taskId: 1, owner: "carol" });
    expect(unknown.text).toBe(
      `There is no "carol" in the team. The team has no other members yet. Nothing was changed.`,
    );
  });

  test("a member that has ended and the user own no new tasks", async () => {
    const it = await teamBench();
    await it.stored.record.end("bob", { reason: "shutdown" });
    const said = await it.call("team-lead", "TaskCreate", task("first", { owner: "bob" }));
    expect(said.text).toContain(
      "bob has ended (shutdown). In the team: team-lead, alice. Choose one of them, or a new name.",
    );
    expect((await it.call("team-lead", "TaskCreate", task("first", { owner: "user" }))).ok).toBe(false);
    expect(await it.stored.tasks.list()).toEqual([]);
  });

  test("in the list of a lone agent the owner is itself", async () => {
    const it = await teamBench({ alone: true });
    expect((await it.call("lead", "TaskCreate", task("first", { owner: "team-lead" }))).ok).toBe(true);
    expect((await it.stored.tasks.get(1))?.owner).toBe("lead");
    const said = await it.call("lead", "TaskCreate", task("second", { owner: "bob" }));
    expect(said.text).toContain("this task list is yours alone. Leave owner out.");
  });
});

describe("all members that a changed owner concerns are notified", () => {
  test("the one that loses a begun task stops, the new one gets its history, the lead learns of both", async () => {
    const it = await teamBench();
    await it.call("team-lead", "TaskCreate", task("first"));
    await it.call("alice", "TaskUpdate", claim(1));
    await it.stored.tasks.update(
      1,
      { said: { text: "The tests are written.", branch: "troupe/a" } },
      { name: "alice" },
    );
    const said = await it.call("team-lead", "TaskUpdate", { taskId: 1, owner: "bob" });
    expect(said.text).toBe(
      "Task #1 changed. alice had it and is notified. bob is notified by mail.\n#1 [pending] first (bob)",
    );
    expect(it.mails).toEqual([
      {
        from: "team-lead",
        to: "bob",
        summary: "task #1",
        wakes: true,
        body: {
          kind: "task_assignment",
          taskId: 1,
          subject: "first",
          description: "all about first",
          assignedBy: "team-lead",
          history:
            "alice had this task before and last said: The tests are written.\nThe work of alice is on the branch troupe/a: git diff HEAD...troupe/a shows it, and git merge troupe/a brings it to your own worktree.",
        },
      },
      {
        from: "team-lead",
        to: "alice",
        summary: "task #1",
        wakes: true,
        body: {
          kind: "text",
          text: "#1 is no longer yours: team-lead gave it to bob. Stop working on it. Keep what you changed: commit it if you may, and tell bob where it is.",
        },
      },
    ]);
    const late = await it.call("alice", "TaskUpdate", { taskId: 1, status: "completed" });
    expect(late.ok).toBe(false);
    expect((await it.call("bob", "TaskGet", { taskId: 1 })).text).toContain("alice had this task before and last said");
  });

  test("the claim that counts is the one in the list, also if another process made it in between", async () => {
    const it = await teamBench();
    await it.call("team-lead", "TaskCreate", task("first"));
    const other = await it.elsewhere();
    const [, given] = await Promise.all([
      other.tasks.claim(1, { name: "alice" }),
      it.call("team-lead", "TaskUpdate", { taskId: 1, owner: "bob" }),
    ]);
    expect(given.ok).toBe(true);
    expect((await it.stored.tasks.get(1))?.owner).toBe("bob");
    const past = (await it.stored.tasks.get(1))?.past?.map(({ owner }) => owner) ?? [];
    const told = it.mails.filter(({ to }) => to === "alice");
    expect(told).toHaveLength(past.length);
  });

  test("one that had not begun gets mail that does not wake it", async () => {
    const it = await teamBench();
    await it.call("team-lead", "TaskCreate", task("first", { owner: "alice" }));
    const said = await it.call("team-lead", "TaskUpdate", { taskId: 1, owner: "" });
    expect(said.text).toBe("Task #1 changed. It was alice's, and alice is notified.\n#1 [pending] first");
    expect(it.mails.at(-1)).toMatchObject({
      to: "alice",
      wakes: false,
      body: { text: "#1 is no longer yours: team-lead put it back on the task list." },
    });
  });

  test("the lead that completes or deletes a task of another member reads whose it was", async () => {
    const it = await teamBench();
    for (const subject of ["first", "second"]) await it.call("team-lead", "TaskCreate", task(subject));
    await it.call("alice", "TaskUpdate", claim(1));
    await it.call("bob", "TaskUpdate", claim(2));
    expect((await it.call("team-lead", "TaskUpdate", { taskId: 1, status: "completed" })).text).toBe(
      "Task #1 is completed. alice had it and is notified. TaskList shows what is left.",
    );
    expect((await it.call("team-lead", "TaskUpdate", { taskId: 2, status: "deleted" })).text).toBe(
      "Task #2 deleted. bob had it and is notified.",
    );
    expect(it.mails.map(({ to, wakes, body }) => [to, wakes, body.kind === "text" && body.text])).toEqual([
      ["alice", false, "team-lead set your task #1 to completed. Nothing is left to do for it: stop working on it."],
      ["bob", false, "team-lead deleted your task #2. Stop working on it."],
    ]);
  });

  test("the holder of a task learns that its words changed", async () => {
    const it = await teamBench();
    await it.call("team-lead", "TaskCreate", task("first"));
    await it.call("alice", "TaskUpdate", claim(1));
    const said = await it.call("team-lead", "TaskUpdate", { taskId: 1, description: "other words" });
    expect(said.text).toBe("Task #1 changed. It is alice's, and alice is notified.\n#1 [in_progress] first (alice)");
    expect(it.mails).toMatchObject([
      { to: "alice", wakes: true, body: { text: "team-lead changed your task #1. TaskGet shows it as it is now." } },
    ]);
    await it.call("team-lead", "TaskUpdate", { taskId: 1, metadata: { seen: true } });
    await it.call("alice", "TaskUpdate", { taskId: 1, description: "my words" });
    expect(it.mails).toHaveLength(1);
  });

  test("a teammate that hands its task to another one: the lead reads it too", async () => {
    const it = await teamBench();
    await it.call("team-lead", "TaskCreate", task("first"));
    await it.call("alice", "TaskUpdate", claim(1));
    const said = await it.call("alice", "TaskUpdate", { taskId: 1, owner: "bob" });
    expect(said.text).toBe("Task #1 changed. bob is notified by mail.\n#1 [pending] first (bob)");
    expect(it.mails.map(({ to, wakes }) => [to, wakes])).toEqual([
      ["bob", true],
      ["team-lead", false],
    ]);
    expect(it.mails[1]?.body).toMatchObject({ text: "alice gave its task #1 to bob." });
  });
});

describe("a blocked task", () => {
  test("does not wake its owner, which reads that it begins later", async () => {
    const it = await teamBench();
    await it.call("team-lead", "TaskCreate", task("first", { owner: "team-lead" }));
    const said = await it.call("team-lead", "TaskCreate", task("second", { owner: "alice", blockedBy: [1] }));
    expect(said.text).toBe(
      "Task #2 created. alice is notified, and begins it when #1 is done.\n#2 [pending] second (alice) [blocked by #1]",
    );
    expect(it.mails).toMatchObject([{ to: "alice", wakes: false, body: { kind: "task_assignment", blockedBy: [1] } }]);
  });

  test.each(["team-lead", "alice"])("is not completed by %s, who learns what blocks it", async (who) => {
    const it = await teamBench();
    await it.call("team-lead", "TaskCreate", task("first", { owner: "bob" }));
    await it.call("team-lead", "TaskCreate", task("second", { blockedBy: [1] }));
    const said = await it.call(who, "TaskUpdate", { taskId: 2, status: "completed" });
    expect(said).toEqual({
      ok: false,
      text: "#2 cannot be completed: it is blocked by\n#1 [pending] first (bob)\nThese must be completed first, or deleted if they are not needed.",
    });
    expect(await it.stored.tasks.complete(2, { name: "user" })).toMatchObject({ ok: false, reason: "blocked" });
    expect(await it.stored.tasks.get(2)).toMatchObject({ status: "pending" });
  });

  test("is not completed either if it was blocked after it began", async () => {
    const it = await teamBench();
    await it.call("team-lead", "TaskCreate", task("first"));
    await it.call("alice", "TaskUpdate", claim(1));
    await it.call("alice", "TaskCreate", task("obstacle"));
    await it.call("alice", "TaskUpdate", { taskId: 1, addBlockedBy: [2] });
    expect((await it.call("alice", "TaskUpdate", { taskId: 1, status: "completed" })).text).toContain("blocked by\n#2");
    await it.call("bob", "TaskUpdate", { taskId: 2, status: "completed" });
    expect((await it.call("alice", "TaskUpdate", { taskId: 1, status: "completed" })).ok).toBe(true);
  });
});

describe("checks of a task", () => {
  const refuse = async (command: string) =>
    command.startsWith("node")
      ? { why: "node runs whatever it is given", allowedWith: '--allowedTools "Bash(node -e 1)"' }
      : undefined;
  const acceptance = [{ command: "true" }, { command: "node -e 1" }];

  test("are judged when the task is created", async () => {
    const it = await teamBench({ refuse });
    const said = await it.call("team-lead", "TaskCreate", task("first", { acceptance }));
    expect(said).toEqual({
      ok: true,
      text: `Task #1 created.
#1 [pending] first
Checks: true; node -e 1
Check 2 cannot be run here (node runs whatever it is given): node -e 1
The user can allow check 2 with --allowedTools "Bash(node -e 1)".
So the task can be completed only as "not verified". Leave out such checks: TaskUpdate (taskId 1) with acceptance and the other checks, or an empty list.`,
    });
    expect((await it.call("team-lead", "TaskCreate", task("second", { acceptance: [{ command: "true" }] }))).text).toBe(
      "Task #2 created.\n#2 [pending] second\nChecks: true",
    );
  });

  test("do not run in the lead's folder while the owner's work is only in its worktree", async () => {
    const work = { path: "/w", branch: "troupe/bob", commits: 1, uncommittedFiles: 0, uncommitted: [] };
    const left = new Map([["bob", work]]);
    const it = await teamBench({ unlandedWork: async (name) => left.get(name) });
    const checks = { acceptance: [{ command: "touch ran && true" }] };
    await it.call("team-lead", "TaskCreate", task("first", { owner: "bob", ...checks }));
    const complete = () => it.call("team-lead", "TaskUpdate", { taskId: 1, status: "completed" });
    expect(await complete()).toEqual({
      ok: false,
      text: "#1 is not completed: its checks would run in your folder, and bob works on it in its own worktree, on the branch troupe/bob: 1 commit not landed. Land that branch first, or have bob complete the task.",
    });
    left.clear();
    expect((await complete()).text).toMatch(/^Task #1 is completed, and its checks passed\./);
  });

  test("are changed or removed by the creator of the task and the lead, not by its owner", async () => {
    const it = await teamBench({ refuse });
    await it.call("team-lead", "TaskCreate", task("first", { acceptance }));
    await it.call("team-lead", "TaskCreate", task("second", { blockedBy: [1] }));
    await it.call("bob", "TaskUpdate", { taskId: 1, status: "in_progress" });
    expect((await it.call("bob", "TaskUpdate", { taskId: 1, acceptance: [] })).text).toBe(
      "The checks of task 1 are team-lead's, who created it. Nothing was changed. Ask team-lead to change them.",
    );
    const both = { taskId: 1, acceptance: [], status: "completed" };
    expect((await it.call("team-lead", "TaskUpdate", both)).text).toMatch(/^Nothing was changed: change the checks/);
    const still = await it.call("team-lead", "TaskUpdate", { taskId: 1, acceptance: acceptance.slice(1) });
    expect(still.text).toMatch(/^Task #1 changed\. It is bob's, and bob is notified\.\n.*\nCheck 1 cannot be run here/);
    expect((await it.call("team-lead", "TaskUpdate", { taskId: 1, acceptance: [] })).ok).toBe(true);
    expect(await it.stored.tasks.get(1)).toMatchObject({ acceptance: [], owner: "bob", blocks: [2] });
  });

  test("that were not run, passed or do not exist differ in the list and in the log", async () => {
    const it = await teamBench({ refuse });
    await it.call("team-lead", "TaskCreate", task("first", { acceptance }));
    await it.call("team-lead", "TaskCreate", task("second", { acceptance: [{ command: "true" }] }));
    await it.call("team-lead", "TaskCreate", task("third"));
    await it.call("team-lead", "TaskCreate", task("fourth", { blockedBy: [1] }));
    const completed = (taskId: number) => it.call("bob", "TaskUpdate", { taskId, status: "completed" });
    expect((await completed(1)).text).toBe(
      `Task #1 is set to completed, but not verified: $ true (in ${it.tools.folder}): exit code 0
check 2 was not run (node runs whatever it is given): node -e 1
Say "completed, not verified" when you report it. Unblocked now: #4. TaskList shows what is left.`,
    );
    await completed(2);
    await completed(3);
    expect((await it.call("bob", "TaskList")).text).toBe(
      [
        "#1 [completed, not verified] first (bob)",
        "#2 [completed, checks passed] second (bob)",
        "#3 [completed] third (bob)",
        "#4 [pending] fourth",
      ].join("\n"),
    );
    const checks = it.events.flatMap((event) => (event.type === "task.updated" ? [event.checks] : []));
    expect(checks).toEqual(["not_run", "passed", "none"]);
    expect((await it.call("bob", "TaskGet", { taskId: 1 })).text).toContain("completed, not verified: $ true");
  });
});

describe("a completed task that is set back to pending", () => {
  const done = async () => {
    const it = await teamBench();
    await it.call("team-lead", "TaskCreate", task("first", { owner: "alice" }));
    await it.call("alice", "TaskUpdate", claim(1));
    await it.call("alice", "TaskUpdate", { taskId: 1, status: "completed" });
    await it.stored.tasks.update(1, { said: { text: "I skipped Windows." } }, { name: "alice" });
    it.mails.splice(0);
    return it;
  };
  const reopened = { taskId: 1, status: "pending" };

  test("stays with its last owner, who is notified", async () => {
    const it = await done();
    expect((await it.call("team-lead", "TaskUpdate", reopened)).text).toBe(
      "Task #1 changed. It is open again, still alice's, and alice is notified.\n#1 [pending] first (alice)",
    );
    expect(it.mails).toMatchObject([{ to: "alice", wakes: true, body: { kind: "text" } }]);
    expect((await it.call("bob", "TaskGet", { taskId: 1 })).text).toContain("alice last said: I skipped Windows.");
  });

  test("goes to the owner that the call names, and shows who had it and what that member said", async () => {
    const it = await done();
    expect((await it.call("team-lead", "TaskUpdate", { ...reopened, owner: "bob" })).text).toBe(
      "Task #1 changed. It is open again, and bob has it now. bob is notified by mail.\n#1 [pending] first (bob)",
    );
    expect((await it.call("bob", "TaskGet", { taskId: 1 })).text).toContain(
      "alice had this task before and last said: I skipped Windows.",
    );
  });

  test("has no owner if the call removes the owner", async () => {
    const it = await done();
    expect((await it.call("team-lead", "TaskUpdate", { ...reopened, owner: "" })).text).toBe(
      "Task #1 changed. It is open again without an owner.\n#1 [pending] first",
    );
  });
});
