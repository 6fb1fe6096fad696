import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { hook, hookedSession, markCall } from "../../support/session/hooked-session.ts";

const done = { text: "done" };
const prints = (output: object) => hook(`cat > /dev/null; echo '${JSON.stringify(output)}'`);

describe("hook output for the model and the user", () => {
  test("SessionStart and UserPromptSubmit add to the first prompt; SessionStart only once", async () => {
    const it = await hookedSession({
      hooks: {
        SessionStart: [hook("echo 'the <b>start</b>'")],
        UserPromptSubmit: [prints({ hookSpecificOutput: { additionalContext: "the prompt" } })],
      },
      steps: [{ text: "{{said}}" }, { text: "{{said}}" }],
    });
    await it.session.ask("one");
    await it.run("two");
    const texts = it
      .all("prompt.admitted")
      .map(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : "")));
    const context = (event: string, text: string) => `<hook-context event="${event}">\n${text}\n</hook-context>`;
    expect(texts).toEqual([
      [context("SessionStart", "the <b>start</b>"), "one", context("UserPromptSubmit", "the prompt")],
      ["two", context("UserPromptSubmit", "the prompt")],
    ]);
  });

  test("context goes to the model with the result, a message to the user, both bounded and clean", async () => {
    const it = await hookedSession({
      hooks: {
        PreToolUse: [
          prints({
            systemMessage: "for you",
            hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext: "before" },
          }),
        ],
        PostToolUse: [hook("printf '\\033[31mred\\033[0m ' >&2; head -c 100000 /dev/zero | tr '\\0' y >&2; exit 2")],
      },
      steps: [markCall("a"), done],
    });
    await it.run();
    const texts = it.all("tool.settled")[0]?.content.map((part) => (part.type === "text" ? part.text : "")) ?? [];
    expect(texts[0]).toBe("marked a");
    expect(texts[1]).toBe("<hook-feedback>\nbefore\n</hook-feedback>");
    expect(texts[2]).toMatch(/^<hook-feedback>\nred y+\n\[cut: 100004 characters in total\]/);
    expect(it.all("notice.raised").map(({ message }) => message)).toEqual([expect.stringMatching(/says: for you$/)]);
  });

  test("Stop sends the agent back to work, marks that for the hook, and has a limit", async () => {
    const it = await hookedSession({
      hooks: { Stop: [hook(`grep -q '"stop_hook_active":false' || exit 0; echo 'run the tests' >&2; exit 2`)] },
      steps: [{ text: "I am done" }, { text: "{{said}}" }],
    });
    const reply = await it.run();
    expect(it.all("turn.ended")).toHaveLength(2);
    expect(it.all("prompt.admitted").map(({ source }) => source)).toEqual(["user", "hook"]);
    expect(reply.text).toContain("run the tests");

    const endless = await hookedSession({
      hooks: { Stop: [prints({ decision: "block", reason: "more" })] },
      steps: Array.from({ length: 11 }, () => ({ text: "I am done" })),
    });
    await endless.run();
    expect(endless.all("turn.ended")).toHaveLength(11);
    expect(endless.all("agent.idle").map(({ reason }) => reason)).toEqual(["completed"]);
    expect(endless.all("notice.raised").at(-1)?.message).toMatch(/back to work 10 times/);
  });

  test("continue: false stops the agent after the call and reports the reason", async () => {
    const it = await hookedSession({
      hooks: { PostToolUse: [prints({ continue: false, stopReason: "enough for today" })] },
      steps: [markCall("a")],
    });
    const reply = await it.run();
    expect(reply).toMatchObject({ reason: "completed", detail: "enough for today" });
    expect(it.all("turn.ended")).toHaveLength(1);
    expect(it.all("notice.raised").at(-1)?.message).toMatch(/stops the agent: enough for today/);
    const before = await hookedSession({
      hooks: { PreToolUse: [prints({ continue: false, stopReason: "not at all" })] },
      steps: [markCall("a")],
    });
    expect(await before.run()).toMatchObject({ detail: "not at all" });
    expect(before.marks).toEqual([]);
  });

  test("PreCompact can prevent a compaction", async () => {
    const it = await hookedSession({
      hooks: { PreCompact: [{ matcher: "manual", hooks: [{ type: "command", command: "cat > c.json; exit 2" }] }] },
      steps: [markCall("a"), done],
    });
    await it.session.ask("go");
    const ack = await it.session.dispatch({ type: "compact", instructions: "short" });
    expect(ack).toMatchObject({ ok: false, message: expect.stringContaining("a hook blocked it:") });
    expect(JSON.parse(readFileSync(it.tree.path("project/c.json"), "utf8"))).toMatchObject({
      trigger: "manual",
      custom_instructions: "short",
    });
  });

  test("an async hook is not awaited and cannot refuse; a guard cannot be async", async () => {
    const it = await hookedSession({
      hooks: {
        PostToolUse: [hook("sleep 300", { async: true })],
        PreToolUse: [{ matcher: "Mark", ...hook("exit 2", { async: true }) }],
        UserPromptSubmit: [hook("exit 2", { async: true })],
      },
      steps: [markCall("a"), done],
    });
    await it.run();
    expect(it.marks).toEqual([]);
    expect(it.all("turn.ended")).toHaveLength(2);
  });
});

describe("invalid hooks", () => {
  const started = (hooks: unknown) =>
    hookedSession({ hooks: hooks as Record<string, object[]>, steps: [markCall("a"), done] });

  test.each([
    ["no list", { PreToolUse: {} }, /hooks\.PreToolUse: .*expected array/],
    ["no hooks", { PreToolUse: [{}] }, /hooks\.PreToolUse\[0\]\.hooks: /],
    [
      "no command",
      { Stop: [{ hooks: [{ type: "command" }] }] },
      /hooks\.Stop\[0\]\.hooks\[0\]\.command: is missing\. Add the command to run\./,
    ],
    ["a timeout of nothing", { Stop: [hook("x", { timeout: 0 })] }, /hooks\.Stop\[0\]\.hooks\[0\]\.timeout/],
    [
      "a broken matcher",
      { PreToolUse: [{ matcher: "(", hooks: [] }] },
      /PreToolUse\[0\]\.matcher: .*regular expression/,
    ],
    [
      "a condition that is not a rule",
      { PreToolUse: [hook("x", { if: "Bash(" })] },
      /hooks\[0\]\.if: .*not a permission rule/,
    ],
    ["onFailure that is neither", { Stop: [hook("x", { onFailure: "maybe" })] }, /onFailure/],
  ])("%s is an error with its place, before anything starts", async (_name, hooks, message) => {
    await expect(started(hooks)).rejects.toThrow(message);
    await expect(started(hooks)).rejects.toMatchObject({ code: "settings" });
  });

  test("an unknown event is reported, and the other hooks run", async () => {
    const it = await started({ TeaTime: [hook("exit 2")], Nonsense: [], PreToolUse: [hook("exit 2")] });
    await it.run();
    expect(it.marks).toEqual([]);
    expect(it.all("notice.raised")[0]?.message).toMatch(
      /hooks for TeaTime never run: the known events are SessionStart, /,
    );
  });

  test("a guard of a kind that cannot run blocks the call and says so", async () => {
    const it = await started({ PreToolUse: [{ hooks: [{ type: "http", url: "http://127.0.0.1:1/" }] }] });
    await it.run();
    expect(it.marks).toEqual([]);
    expect(it.all("notice.raised").at(-1)?.message).toMatch(/hooks of type "http" are not supported, only "command"/);
  });
});
