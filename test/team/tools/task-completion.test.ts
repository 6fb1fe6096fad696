import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { teamBench } from "../../support/tools/team-tool-bench.ts";

const task = (subject: string, more: object = {}) => ({ subject, description: `all about ${subject}`, ...more });

describe("completing", () => {
  test("without checks it is claimed, and the tasks it blocked are free", async () => {
    const it = await teamBench();
    await it.call("alice", "TaskCreate", task("first"));
    await it.call("alice", "TaskCreate", task("second", { blockedBy: [1] }));
    await it.call("bob", "TaskUpdate", { taskId: 1, status: "in_progress" });
    const said = await it.call("bob", "TaskUpdate", { taskId: 1, status: "completed", metadata: { commit: "abc" } });
    expect(said).toEqual({ ok: true, text: "Task #1 is completed. Unblocked now: #2. TaskList shows what is left." });
    expect(await it.stored.tasks.get(1)).toMatchObject({
      status: "completed",
      proof: "claimed",
      metadata: { commit: "abc" },
    });
    expect(it.events.at(-1)).toMatchObject({ type: "task.updated", taskId: 1, status: "completed" });
    expect((await it.call("bob", "TaskUpdate", { taskId: 1, status: "completed" })).text).toMatch(
      /is already completed\./,
    );
  });

  test("with checks it is verified when they pass", async () => {
    const it = await teamBench();
    it.tools.write("made.txt", "here");
    await it.call("alice", "TaskCreate", task("first", { acceptance: [{ command: "test -f made.txt" }] }));
    await it.call("bob", "TaskUpdate", { taskId: 1, status: "in_progress" });
    const said = await it.call("bob", "TaskUpdate", { taskId: 1, status: "completed" });
    expect(said.text).toContain("Task #1 is completed, and its checks passed.");
    expect(await it.stored.tasks.get(1)).toMatchObject({
      status: "completed",
      proof: "verified",
      proofDetail: `$ test -f made.txt (in ${it.tools.folder}): exit code 0`,
    });
  });

  test("a failed check leaves it in progress and shows its output; once fixed, it is verified", async () => {
    const it = await teamBench();
    const acceptance = [{ command: "echo looking" }, { command: "echo 'three failed'; test -f made.txt" }];
    await it.call("alice", "TaskCreate", task("first", { acceptance }));
    await it.call("alice", "TaskCreate", task("second", { blockedBy: [1] }));
    await it.call("bob", "TaskUpdate", { taskId: 1, status: "in_progress" });
    const said = await it.call("bob", "TaskUpdate", { taskId: 1, status: "completed" });
    expect(said.ok).toBe(false);
    expect(said.text.replaceAll(it.tools.folder, "HERE")).toMatchInlineSnapshot(`
      "#1 is not done: its checks failed, and it is still in progress.
      $ echo looking (in HERE): exit code 0
      $ echo 'three failed'; test -f made.txt (in HERE): exit code 1
      three failed
      Find the cause, fix it, then complete it again."
    `);
    expect(await it.stored.tasks.get(1)).toMatchObject({ status: "in_progress", owner: "bob", proof: "refuted" });
    expect((await it.call("alice", "TaskList")).text).toContain("#2 [pending] second [blocked by #1]");
    it.tools.write("made.txt", "here");
    expect((await it.call("bob", "TaskUpdate", { taskId: 1, status: "completed" })).text).toMatch(
      /checks passed\. Unblocked now: #2/,
    );
  });

  test("a check that may not run proves nothing: the task is only claimed, and says so", async () => {
    const it = await teamBench({
      refuse: async (command) =>
        command.startsWith("curl") ? { why: "a rule forbids it", allowedWith: undefined } : undefined,
    });
    await it.call("alice", "TaskCreate", task("first", { acceptance: [{ command: "true" }, { command: "curl x" }] }));
    await it.call("bob", "TaskUpdate", { taskId: 1, status: "in_progress" });
    const said = await it.call("bob", "TaskUpdate", { taskId: 1, status: "completed" });
    expect(said.text).toMatch(
      /Task #1 is set to completed, but not verified:.*check 2 was not run \(a rule forbids it\): curl x/s,
    );
    expect(await it.stored.tasks.get(1)).toMatchObject({ status: "completed", proof: "claimed" });
  });

  test("an interrupt during the checks leaves it in progress without a verdict", async () => {
    const it = await teamBench();
    await it.call("alice", "TaskCreate", task("first", { acceptance: [{ command: "echo begun > begun; sleep 300" }] }));
    await it.call("bob", "TaskUpdate", { taskId: 1, status: "in_progress" });
    const call = new AbortController();
    execFileSync("mkfifo", [it.tools.path("begun")]);
    const completing = it.call("bob", "TaskUpdate", { taskId: 1, status: "completed" }, call.signal);
    await readFile(it.tools.path("begun"));
    call.abort();
    expect((await completing).ok).toBe(false);
    const after = await it.stored.tasks.get(1);
    expect(after).toMatchObject({ status: "in_progress", owner: "bob" });
    expect(after?.proof).toBeUndefined();
  });

  test("a hook runs before the checks and can send it back with a message", async () => {
    const asked: number[] = [];
    const hooks = {
      taskCreated: async () => undefined,
      taskCompleted: async ({ id }: { id: number }) =>
        asked.push(id) === 1 ? "There is no changelog entry." : undefined,
    };
    const it = await teamBench({ hooks });
    await it.call("alice", "TaskCreate", task("first", { acceptance: [{ command: "touch ran" }] }));
    await it.call("bob", "TaskUpdate", { taskId: 1, status: "in_progress" });
    const said = await it.call("bob", "TaskUpdate", { taskId: 1, status: "completed" });
    expect(said.text).toContain("says that it is not done.\nThere is no changelog entry.");
    expect(await it.stored.tasks.get(1)).toMatchObject({ status: "in_progress" });
    expect((await it.call("bob", "TaskUpdate", { taskId: 1, status: "completed" })).ok).toBe(true);
    expect(asked).toEqual([1, 1]);
  });

  test("a peer cannot complete another member's task, and no hook runs for it; the lead can", async () => {
    const hooks = { taskCreated: async () => undefined, taskCompleted: async () => "must not be asked" };
    const it = await teamBench({ hooks });
    await it.call("alice", "TaskCreate", task("first"));
    await it.call("bob", "TaskUpdate", { taskId: 1, status: "in_progress" });
    const said = await it.call("alice", "TaskUpdate", { taskId: 1, status: "completed" });
    expect(said.text).toBe("#1 belongs to bob, and only its owner completes it. Ask bob.");
    expect((await it.call("team-lead", "TaskUpdate", { taskId: 1, status: "completed" })).text).toContain(
      "must not be asked",
    );
    const other = await it.call("bob", "TaskUpdate", { taskId: 1, status: "completed", owner: "alice" });
    expect(other.text).toMatch(
      /a task is completed by its owner, so it cannot be assigned to another member in the same call\./,
    );
  });
});
