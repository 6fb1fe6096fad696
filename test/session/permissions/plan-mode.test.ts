import { describe, expect, test } from "vitest";
import { planModeOff, planModeOn } from "../../../src/agent/index.ts";
import { call, slashSession } from "../../support/session/slash-session.ts";
import { tempTree } from "../../support/files/temp-tree.ts";

const present = call("ExitPlanMode", { plan: "1. Write made.\n2. Check it." });
const write = call("Write", { file_path: "made", content: "x" });
const plan = { permissionMode: "plan" } as const;

describe("plan mode", () => {
  test("is announced with the first prompt only, not in the system prompt, and the tools stay", async () => {
    const { session, model, said } = await slashSession({
      steps: [{ text: "One." }, { text: "Two." }, { text: "Three." }],
      more: plan,
    });
    await session.ask("first");
    await session.ask("second");
    await session.dispatch({ type: "set", permissionMode: "default" });
    await session.ask("third");
    expect([said(0), said(1), said(2)]).toEqual([`first\n${planModeOn}`, "second", `third\n${planModeOff}`]);
    const requests = model.calls.map(({ ask }) => ask.request);
    for (const { system, tools } of requests) {
      expect(system.join()).not.toContain("plan-mode");
      expect(JSON.stringify(tools)).toBe(JSON.stringify(requests[0]?.tools));
    }
  });

  test("is announced again when the announcement was compacted", async () => {
    const { session, said } = await slashSession({
      steps: [{ text: "One." }, { text: "The summary." }, { text: "Two." }],
      more: plan,
    });
    await session.ask("first");
    await session.ask("/compact");
    await session.ask("second");
    expect(said(2)).toContain(`second\n${planModeOn}`);
  });

  test("nothing changes before the plan is approved; then the previous mode returns", async () => {
    const { session, results, questions, all } = await slashSession({
      steps: [write, present, write, { text: "Done." }],
      answer: { behavior: "allow", scope: "once" },
      more: { permissionMode: "acceptEdits" },
    });
    await session.dispatch({ type: "set", permissionMode: "plan" });
    await session.ask("make it");
    expect(results().map(({ outcome }) => outcome)).toEqual(["denied", "ok", "ok"]);
    expect(results()[1]?.text).toContain("the permission mode is now acceptEdits");
    expect(questions).toEqual(["Leave plan mode and carry out this plan?\n\n1. Write made.\n2. Check it."]);
    expect(all("permission.asked")).toMatchObject([
      { tool: "ExitPlanMode", input: { plan: "1. Write made.\n2. Check it." }, suggestions: [] },
    ]);
    expect(all("agent.changed").map(({ permissionMode }) => permissionMode)).toEqual(["plan", "acceptEdits"]);
  });

  test("the answer can choose the next mode", async () => {
    const { session, results, all, said } = await slashSession({
      steps: [present, write, { text: "Done." }, { text: "Next." }],
      answer: { behavior: "allow", scope: "once", permissionMode: "acceptEdits" },
      more: plan,
    });
    await session.ask("make it");
    await session.ask("and now?");
    expect(results().map(({ outcome }) => outcome)).toEqual(["ok", "ok"]);
    expect(all("agent.changed").map(({ permissionMode }) => permissionMode)).toEqual(["acceptEdits"]);
    expect(said(3)).toBe("and now?");
  });

  test("refused with a comment, it continues planning", async () => {
    const { session, results, all } = await slashSession({
      steps: [present, write, { text: "Still planning." }],
      answer: { behavior: "deny", message: "smaller, please" },
      more: plan,
    });
    await session.ask("make it");
    expect(results()).toMatchObject([
      { outcome: "denied", text: expect.stringContaining("smaller, please") },
      { outcome: "denied" },
    ]);
    expect(all("agent.changed")).toEqual([]);
  });

  test("with no user to approve it, the run ends with the plan as its answer", async () => {
    const { session, model, results } = await slashSession({ steps: [present], more: plan });
    const reply = await session.ask("make it");
    expect(reply).toMatchObject({
      text: "Calling ExitPlanMode.\n1. Write made.\n2. Check it.",
      reason: "completed",
      detail: "ExitPlanMode needs an answer, and no user is available",
    });
    expect(results()).toMatchObject([{ outcome: "denied", text: expect.stringContaining("was not approved") }]);
    model.assertAllUsed();
  });

  test("neither an allow rule nor an earlier answer replaces the approval", async () => {
    const { session, results } = await slashSession({
      steps: [present],
      more: { ...plan, allowedTools: ["ExitPlanMode", "*"] },
    });
    await session.ask("make it");
    expect(results()).toMatchObject([{ outcome: "denied" }]);
  });

  test("outside plan mode there is nothing to exit", async () => {
    const { session, results } = await slashSession({
      steps: [present, { text: "Ok." }],
      // Without a user the tool is left out.
      answer: { behavior: "allow", scope: "once" },
    });
    await session.ask("make it");
    expect(results()).toMatchObject([{ outcome: "failed", text: expect.stringContaining("not in plan mode") }]);
  });

  test("an empty plan is refused", async () => {
    const { session, results } = await slashSession({
      steps: [call("ExitPlanMode", { plan: "  \n" }), { text: "Ok." }],
      more: plan,
    });
    await session.ask("make it");
    expect(results()).toMatchObject([
      { outcome: "failed", text: expect.stringContaining("`plan`: must not be empty") },
    ]);
  });
});

describe("a resumed session", () => {
  const first = async (mode: "plan" | "bypassPermissions" | "acceptEdits") => {
    const tree = tempTree();
    const { session, close } = await slashSession({ tree, steps: [{ text: "One." }], more: { permissionMode: mode } });
    await session.ask("first");
    await close();
    return tree;
  };

  test("keeps its mode without another announcement", async () => {
    const tree = await first("plan");
    const { session, said, results } = await slashSession({
      tree,
      steps: [write, { text: "Two." }],
      more: { resume: "latest" },
    });
    await session.ask("second");
    expect(said(0)).toBe("second");
    expect(results()).toMatchObject([{ outcome: "denied" }]);
  });

  test("a requested mode wins and is recorded", async () => {
    const tree = await first("plan");
    const { session, said, all } = await slashSession({
      tree,
      steps: [{ text: "Two." }],
      more: { resume: "latest", permissionMode: "acceptEdits" },
    });
    await session.ask("second");
    expect(said(0)).toBe(`second\n${planModeOff}`);
    expect(all("agent.changed")).toMatchObject([{ permissionMode: "acceptEdits" }]);
  });

  test("a resume does not restore bypassPermissions by itself", async () => {
    const tree = await first("bypassPermissions");
    const { session, results } = await slashSession({
      tree,
      steps: [write, { text: "Two." }],
      more: { resume: "latest" },
    });
    await session.ask("second");
    expect(results()).toMatchObject([{ outcome: "denied" }]);
  });

  test("an approved plan restores the previous mode across the resume", async () => {
    const tree = tempTree();
    const one = await slashSession({ tree, steps: [{ text: "One." }], more: { permissionMode: "acceptEdits" } });
    await one.session.dispatch({ type: "set", permissionMode: "plan" });
    await one.session.ask("first");
    await one.close();
    const two = await slashSession({
      tree,
      steps: [present, { text: "Two." }],
      answer: { behavior: "allow", scope: "once" },
      more: { resume: "latest" },
    });
    await two.session.ask("second");
    expect(two.all("agent.changed")).toMatchObject([{ permissionMode: "acceptEdits" }]);
  });
});
