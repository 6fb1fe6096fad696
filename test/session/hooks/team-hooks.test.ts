import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createProcessScope, systemClock } from "../../../src/platform/index.ts";
import type { StoredEvent } from "../../../src/protocol/index.ts";
import { openHooks } from "../../../src/session/hooks/open-hooks.ts";
import type { SessionHooks } from "../../../src/session/hooks/session-hooks.ts";
import { hook } from "../../support/session/hooked-session.ts";
import { lead, teamSession } from "../../support/team/team-session.ts";
import { tempTree } from "../../support/files/temp-tree.ts";

/** The hooks of a session, with real processes. */
async function hooksOf(settings: Record<string, object[]>) {
  const tree = tempTree({ "project/a.txt": "a" });
  const processes = createProcessScope();
  onTestFinished(() => processes.close());
  const events: StoredEvent[] = [];
  const opened = await openHooks([{ value: settings, source: "settings.json", level: "user", folder: "" }]);
  const hooks = opened?.create({
    processes,
    env: {
      PATH: process.env["PATH"] ?? "",
      TROUPE_SANDBOX: "off",
      HOME: tree.path("home"),
      OUT: tree.path("project/out"),
    },
    projectFolder: tree.path("project"),
    cwd: () => tree.path("project"),
    facts: () => ({ session_id: "ses_1" }),
    mayMatch: async () => true,
    record: async (event) => void events.push(event),
    clock: systemClock,
    mode: () => "default",
    model: () => "scripted/none",
  }) as SessionHooks;
  return { hooks, events, given: (): unknown => JSON.parse(readFileSync(tree.path("project/out"), "utf8")) };
}

const task = { id: 7, subject: "fix it", description: "the whole of it" };
const bob = { name: "bob", team: "parser" };

describe("3.5 hooks of teams", () => {
  test("TeammateIdle gets the member, and exit code 2 sends it back to work with a message", async () => {
    const it = await hooksOf({ TeammateIdle: [hook('cat > "$OUT"; echo "the docs are missing" >&2; exit 2')] });
    expect(await it.hooks.teammateIdle(bob)).toBe("the docs are missing");
    expect(it.given()).toEqual({
      session_id: "ses_1",
      hook_event_name: "TeammateIdle",
      teammate_name: "bob",
      team_name: "parser",
      stop_hook_active: false,
    });
    expect(it.events).toMatchObject([{ type: "hook.ran", hook: "TeammateIdle", outcome: "blocked", exitCode: 2 }]);
  });

  test("TeammateIdle that succeeds, fails or stops the member leaves it idle", async () => {
    expect(await (await hooksOf({ TeammateIdle: [hook("exit 0")] })).hooks.teammateIdle(bob)).toBeUndefined();
    const failing = await hooksOf({ TeammateIdle: [hook("exit 1")] });
    expect(await failing.hooks.teammateIdle(bob)).toBeUndefined();
    expect(failing.events.at(-1)).toMatchObject({ type: "notice.raised", code: "hook" });
    const stopping = await hooksOf({ TeammateIdle: [hook(`echo '{"continue":false,"stopReason":"enough"}'`)] });
    expect(await stopping.hooks.teammateIdle({ ...bob, again: true })).toBeUndefined();
  });

  test("TaskCreated gets the new task without a number, and can prevent it", async () => {
    const it = await hooksOf({ TaskCreated: [hook('cat > "$OUT"; echo "too vague" >&2; exit 2')] });
    expect(await it.hooks.taskCreated(task, bob)).toBe("too vague");
    expect(it.given()).toEqual({
      session_id: "ses_1",
      hook_event_name: "TaskCreated",
      task_subject: "fix it",
      task_description: "the whole of it",
      teammate_name: "bob",
      team_name: "parser",
    });
  });

  test("TaskCompleted gets the task, and can prevent it by exit code 2, by JSON and by stopping", async () => {
    const it = await hooksOf({ TaskCompleted: [hook('cat > "$OUT"; echo "no tests" >&2; exit 2')] });
    expect(await it.hooks.taskCompleted(task, { name: "lead" })).toBe("no tests");
    expect(it.given()).toEqual({
      session_id: "ses_1",
      hook_event_name: "TaskCompleted",
      task_id: "7",
      task_subject: "fix it",
      task_description: "the whole of it",
    });
    const json = await hooksOf({ TaskCompleted: [hook(`echo '{"decision":"block","reason":"not yet"}'`)] });
    expect(await json.hooks.taskCompleted(task, bob)).toBe("not yet");
    const stop = await hooksOf({ TaskCompleted: [hook(`echo '{"continue":false,"stopReason":"enough"}'`)] });
    expect(await stop.hooks.taskCompleted(task, bob)).toBe("enough");
  });

  test("nothing runs without hooks for the event", async () => {
    const it = await hooksOf({ Stop: [hook("exit 2")] });
    expect(await it.hooks.taskCompleted(task, bob)).toBeUndefined();
    expect(await it.hooks.taskCreated(task, bob)).toBeUndefined();
    expect(await it.hooks.teammateIdle(bob)).toBeUndefined();
    expect(it.events).toEqual([]);
  });

  test("an interrupted call ends its hook, which then returns nothing", async () => {
    const it = await hooksOf({ TaskCompleted: [hook("sleep 300")] });
    const call = new AbortController();
    const said = it.hooks.taskCompleted(task, bob, call.signal);
    call.abort();
    expect(await said).toBeUndefined();
    expect(it.events).toMatchObject([{ type: "hook.ran", outcome: "interrupted" }]);
  });

  test("interrupting a task call ends the hook that delays it", async () => {
    const team = await teamSession({
      stored: true,
      settings: { hooks: { TaskCreated: [hook("touch begun; sleep 300")] } },
      answer: lead([{ calls: [{ tool: "TaskCreate", input: { subject: "a", description: "b" } }] }], () => undefined),
    });
    await team.command({ type: "prompt", content: "go" });
    await expect.poll(() => existsSync(join(team.cwd, "begun"))).toBe(true);
    await team.command({ type: "interrupt" });
    expect((await team.until(({ type }) => type === "hook.ran")).event).toMatchObject({ outcome: "interrupted" });
  });
});
