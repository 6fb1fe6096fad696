import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { hook, hookedSession, markCall } from "../../support/session/hooked-session.ts";

const done = { text: "done" };
const prints = (output: object) => hook(`cat > /dev/null; echo '${JSON.stringify(output)}'`);
const decides = (hookSpecificOutput: object) =>
  prints({ hookSpecificOutput: { hookEventName: "PreToolUse", ...hookSpecificOutput } });
const answers = (decision: object) => prints({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } });
const for_ = (matcher: string, entry: ReturnType<typeof hook>) => ({ matcher, ...entry });

describe("hook input", () => {
  test("PreToolUse and PostToolUse get the call, the session and the folder", async () => {
    const it = await hookedSession({
      hooks: {
        PreToolUse: [hook('cat > before.json; echo "$CLAUDE_PROJECT_DIR|$TROUPE_PROJECT_DIR" > env; pwd > cwd')],
        PostToolUse: [hook("cat > after.json")],
      },
      steps: [markCall("a"), done],
    });
    await it.run();
    const project = it.tree.path("project");
    const read = (name: string) => readFileSync(it.tree.path(`project/${name}`), "utf8");
    const shared = {
      session_id: it.session.id,
      transcript_path: "",
      cwd: project,
      permission_mode: "bypassPermissions",
      tool_name: "Mark",
      tool_input: { text: "a" },
      tool_use_id: expect.any(String),
    };
    expect(JSON.parse(read("before.json"))).toEqual({ ...shared, hook_event_name: "PreToolUse" });
    expect(JSON.parse(read("after.json"))).toEqual({
      ...shared,
      hook_event_name: "PostToolUse",
      tool_response: { success: true, content: "marked a" },
    });
    expect(read("env")).toBe(`${project}|${project}\n`);
    expect(read("cwd")).toBe(`${project}\n`);
  });

  test("other events have their fields, and no hook's environment has keys to models", async () => {
    const keep = (name: string) => hook(`cat > ${name}.json; env > ${name}.env`);
    const it = await hookedSession({
      hooks: {
        SessionStart: [keep("start")],
        UserPromptSubmit: [keep("prompt")],
        Stop: [keep("stop")],
        SessionEnd: [keep("end")],
        PermissionRequest: [keep("ask")],
        Notification: [keep("note")],
      },
      steps: [markCall("a"), done],
      mode: "default",
      more: {
        onPermission: async () => ({ behavior: "deny" }),
      },
      files: { "home/.claude/settings.json": { env: { ANTHROPIC_API_KEY: "sk-secret", KEPT: "1" } } },
    });
    await it.run("do it");
    const read = (name: string) => JSON.parse(readFileSync(it.tree.path(`project/${name}.json`), "utf8")) as unknown;
    expect(read("start")).toMatchObject({ hook_event_name: "SessionStart", source: "startup", model: it.model.ref });
    expect(read("prompt")).toMatchObject({ hook_event_name: "UserPromptSubmit", prompt: "do it" });
    expect(read("stop")).toMatchObject({ stop_hook_active: false, last_assistant_message: "done" });
    expect(read("end")).toMatchObject({ hook_event_name: "SessionEnd", reason: "other", outcome: "completed" });
    expect(read("ask")).toMatchObject({ tool_name: "Mark", permission_mode: "default" });
    expect(read("note")).toMatchObject({
      notification_type: "permission_prompt",
      message: expect.stringContaining("Mark a"),
    });
    const env = readFileSync(it.tree.path("project/start.env"), "utf8");
    expect(env).toContain("KEPT=1");
    expect(env).not.toContain("sk-secret");
  });
});

describe("hook selection", () => {
  test.each([
    ["Mark", true],
    ["Bash|Mark", true],
    ["", true],
    ["*", true],
    [".*", true],
    ["M.rk", true],
    ["mark", false],
    ["Mar", false],
    ["Bash", false],
    ["^Bash.*", false],
  ])("matcher %j: %s", async (matcher, runs) => {
    const it = await hookedSession({
      hooks: { PreToolUse: [for_(matcher, hook("exit 2"))] },
      steps: [markCall("a"), done],
    });
    await it.run();
    expect(it.marks).toEqual(runs ? [] : ["a"]);
    expect(it.all("hook.ran")).toHaveLength(runs ? 1 : 0);
  });

  test.each([
    ["Bash(git push:*)", "git push origin main", true],
    ["Bash(git push:*)", "echo a && (git push)", true],
    ["Bash(git push:*)", "git status", false],
    ["Bash(git push:*)", "$(echo git) push", true],
    ["Write(*.ts)", "git push", false],
  ])("if %j, %j: %s", async (condition, command, runs) => {
    const it = await hookedSession({
      hooks: { PreToolUse: [for_("Bash", hook("exit 2", { if: condition }))] },
      steps: [{ text: "x", calls: [{ tool: "Bash", input: { command } }] }, done],
      mode: "dontAsk",
    });
    await it.run();
    expect(it.all("hook.ran")).toHaveLength(runs ? 1 : 0);
  });

  test("all matching hooks run concurrently, each command once, and one refusal is enough", async () => {
    // Each waits for the other: run one after another they would hang.
    const meet = (mine: string, other: string) =>
      hook(`touch ${mine}; until test -e ${other}; do sleep 0.01; done`, { timeout: 600 });
    const it = await hookedSession({
      hooks: {
        PreToolUse: [
          meet("a", "b"),
          meet("b", "a"),
          hook("echo x >> count"),
          for_("Mark", hook("echo x >> count")),
          decides({ permissionDecision: "allow" }),
          hook("echo 'I say no' >&2; exit 2"),
        ],
      },
      steps: [markCall("a"), done],
    });
    await it.run();
    expect(it.marks).toEqual([]);
    expect(readFileSync(it.tree.path("project/count"), "utf8")).toBe("x\n");
    expect(
      it
        .all("hook.ran")
        .map(({ outcome }) => outcome)
        .toSorted(),
    ).toEqual(["allowed", "blocked", "passed", "passed", "passed"]);
    expect(it.all("tool.settled")[0]?.content).toEqual([{ type: "text", text: expect.stringContaining("I say no") }]);
  });

  test("disableAllHooks of the user disables them; a folder cannot set it, trusted or not", async () => {
    const settings = { hooks: { PreToolUse: [hook("exit 2")] } };
    const off = await hookedSession({
      hooks: settings.hooks,
      steps: [markCall("a"), done],
      files: { "home/.claude/settings.json": { disableAllHooks: true } },
    });
    await off.run();
    expect(off.marks).toEqual(["a"]);
    const on = await hookedSession({
      hooks: settings.hooks,
      steps: [markCall("a"), done],
      files: { "project/.troupe/settings.json": { disableAllHooks: true } },
      more: { trust: "all" },
    });
    await on.run();
    expect(on.marks).toEqual([]);
  });

  test("hooks of a folder run only when it is trusted, with that folder as the project folder", async () => {
    const files = {
      "project/.claude/settings.json": { hooks: { PreToolUse: [hook('"$CLAUDE_PROJECT_DIR"/guard.sh')] } },
      "project/guard.sh": "#!/bin/sh\necho guarded by the folder >&2\nexit 2\n",
    };
    const wary = await hookedSession({ hooks: {}, files, steps: [markCall("a"), done] });
    await wary.run();
    expect(wary.marks).toEqual(["a"]);
    expect(wary.all("notice.raised")[0]?.message).toContain(".claude/settings.json (hooks)");
    const trusting = await hookedSession({
      hooks: {},
      files,
      steps: [{ text: "x", calls: [{ tool: "Bash", input: { command: "chmod +x guard.sh" } }] }, markCall("b"), done],
      more: { trust: "all" },
    });
    await trusting.run();
    // Not executable yet: the guard fails closed.
    expect(trusting.marks).toEqual([]);
    expect(trusting.all("hook.ran").map(({ exitCode }) => exitCode)).toEqual([126, 126]);
  });
});

describe("hooks and rules", () => {
  const asked = { ask: ["Mark"] };
  const denied = { deny: ["Mark"] };
  const allow = decides({ permissionDecision: "allow" });

  test.each([
    ["allow lifts the question of a mode", allow, {}, ["a"]],
    ["allow does not lift a deny rule", allow, denied, []],
    ["allow does not lift an ask rule: no user is there to answer", allow, asked, []],
    ["approve, the older word, is the same", prints({ decision: "approve" }), {}, ["a"]],
    ["block, the older word, is a no", prints({ decision: "block", reason: "old" }), { allow: ["Mark"] }, []],
    ["deny is stronger than an allow rule", decides({ permissionDecision: "deny" }), { allow: ["Mark"] }, []],
    ["ask makes an allowed call be asked", decides({ permissionDecision: "ask" }), { allow: ["Mark"] }, []],
    ["saying nothing leaves it to the rules", prints({}), { allow: ["Mark"] }, ["a"]],
  ])("%s", async (_name, entry, permissions, marks) => {
    const it = await hookedSession({
      hooks: { PreToolUse: [entry] },
      steps: [markCall("a"), done],
      mode: "default",
      permissions,
    });
    await it.run();
    expect(it.marks).toEqual(marks);
  });

  test("ask reaches the user in any mode, with its reason; without a user it is a refusal", async () => {
    const hooks = { PreToolUse: [decides({ permissionDecision: "ask", permissionDecisionReason: "Sure?" })] };
    const questions: string[] = [];
    const it = await hookedSession({
      hooks,
      steps: [markCall("a"), done],
      more: {
        onPermission: async ({ question }) => {
          questions.push(question);
          return { behavior: "allow", scope: "once" };
        },
      },
    });
    await it.run();
    expect(questions).toEqual(["Sure? Allow Mark a?"]);
    expect(it.marks).toEqual(["a"]);
    const strict = await hookedSession({
      hooks,
      steps: [markCall("a"), done],
      mode: "dontAsk",
      permissions: { allow: ["Mark"] },
    });
    await strict.run();
    expect(strict.marks).toEqual([]);
  });

  test("changed input is validated by the tool and checked again by the rules", async () => {
    const change = (updatedInput: object) => ({ PreToolUse: [decides({ permissionDecision: "allow", updatedInput })] });
    const run = async (updatedInput: object, permissions = {}) => {
      const it = await hookedSession({ hooks: change(updatedInput), steps: [markCall("a"), done], permissions });
      await it.run();
      const [settled] = it.all("tool.settled");
      return { marks: it.marks, text: JSON.stringify(settled?.content), called: it.all("tool.called")[0]?.input };
    };
    expect(await run({ text: "b" })).toMatchObject({ marks: ["b"], called: { text: "b" } });
    expect(await run({ text: 7 })).toMatchObject({ marks: [], text: expect.stringMatching(/not valid.*text/) });
    expect(await run({ text: "b", more: 1 })).toMatchObject({ marks: [] });
    expect(await run({ text: "x".repeat(60) })).toMatchObject({ marks: [] });
  });

  test("a command that a hook changed is judged by its new text", async () => {
    const command = { text: "x", calls: [{ tool: "Bash", input: { command: "echo fine > out" } }] };
    const it = await hookedSession({
      hooks: { PreToolUse: [decides({ permissionDecision: "allow", updatedInput: { command: "touch evil" } })] },
      steps: [command, done],
      permissions: { deny: ["Bash(touch evil)"], allow: ["Bash(echo fine > out)"] },
    });
    await it.run();
    expect(existsSync(it.tree.path("project/evil"))).toBe(false);
    expect(existsSync(it.tree.path("project/out"))).toBe(false);
    expect(it.all("tool.settled")[0]?.outcome).toBe("denied");
  });
});

describe("PermissionRequest", () => {
  const run = async (entry: ReturnType<typeof hook>, permissions = {}) => {
    let asked = 0;
    const it = await hookedSession({
      hooks: { PermissionRequest: [entry] },
      steps: [markCall("a"), done],
      mode: "default",
      permissions,
      more: {
        onPermission: async () => {
          asked += 1;
          return { behavior: "allow", scope: "once" };
        },
      },
    });
    await it.run();
    return { asked, marks: it.marks, text: JSON.stringify(it.all("tool.settled")[0]?.content) };
  };

  test("answers for the user before the question is shown", async () => {
    expect(await run(answers({ behavior: "allow" }))).toMatchObject({ asked: 0, marks: ["a"] });
    expect(await run(answers({ behavior: "allow" }), { ask: ["Mark"] })).toMatchObject({ asked: 0, marks: ["a"] });
    expect(await run(answers({ behavior: "deny", message: "not today" }))).toMatchObject({
      asked: 0,
      marks: [],
      text: expect.stringContaining("not today"),
    });
    expect(await run(prints({}))).toMatchObject({ asked: 1, marks: ["a"] });
  });

  test("does not run for denied or allowed calls, and its changes are checked again", async () => {
    expect(await run(answers({ behavior: "allow" }), { deny: ["Mark"] })).toMatchObject({ asked: 0, marks: [] });
    expect(await run(answers({ behavior: "deny" }), { allow: ["Mark"] })).toMatchObject({ asked: 0, marks: ["a"] });
    expect(await run(answers({ behavior: "allow", updatedInput: { text: "b" } }))).toMatchObject({ marks: ["b"] });
    expect(await run(answers({ behavior: "allow", updatedInput: { text: 1 } }))).toMatchObject({ marks: [] });
  });
});
