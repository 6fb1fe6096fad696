import { describe, expect, test } from "vitest";
import { planModeOff, planModeOn } from "../../../src/agent/index.ts";
import { call, slashSession } from "../../support/session/slash-session.ts";
import { tempTree } from "../../support/files/temp-tree.ts";

const present = call("ExitPlanMode", { plan: "1. Write made.\n2. Check it." });
const write = call("Write", { file_path: "made", content: "x" });
const plan = { permissionMode: "plan" } as const;

describe("plan mode", () => {
  test("is told with the first prompt and no later one, never in the system prompt, and the tools stay the same", async () => {
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

  test("is told again when what was told has become a summary", async () => {
    const { session, said } = await slashSession({
      steps: [{ text: "One." }, { text: "The summary." }, { text: "Two." }],
      more: plan,
    });
    await session.ask("first");
    await session.ask("/compact");
    await session.ask("second");
    expect(said(2)).toContain(`second\n${planModeOn}`);
  });

  test("nothing is changed before the plan is approved; then the mode is what it was before", async () => {
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

  test("the answer can say in which mode to go on", async () => {
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

  test("refused with words, it goes on planning", async () => {
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

  test("with nobody to approve it, the run ends there with the plan as its answer", async () => {
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

  test("neither an allow rule nor a looser answer before can stand for the approval", async () => {
    const { session, results } = await slashSession({
      steps: [present],
      more: { ...plan, allowedTools: ["ExitPlanMode", "*"] },
    });
    await session.ask("make it");
    expect(results()).toMatchObject([{ outcome: "denied" }]);
  });

  test("outside of plan mode there is nothing to leave", async () => {
    const { session, results } = await slashSession({ steps: [present, { text: "Ok." }] });
    await session.ask("make it");
    expect(results()).toMatchObject([{ outcome: "failed", text: expect.stringContaining("not in plan mode") }]);
  });

  test("an empty plan is none", async () => {
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

  test("is in the mode it was in, and is not told again", async () => {
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

  test("a mode that is asked for wins, and is recorded", async () => {
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

  test("nobody slips into bypassPermissions by going on", async () => {
    const tree = await first("bypassPermissions");
    const { session, results } = await slashSession({
      tree,
      steps: [write, { text: "Two." }],
      more: { resume: "latest" },
    });
    await session.ask("second");
    expect(results()).toMatchObject([{ outcome: "denied" }]);
  });

  test("an approved plan leads back to the mode before, across the resume", async () => {
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
