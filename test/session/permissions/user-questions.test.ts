import { describe, expect, test } from "vitest";
import { call, slashSession } from "../../support/session/slash-session.ts";

const question = call("AskUserQuestion", {
  question: "Which database?",
  options: [{ label: "SQLite", description: "One file." }, { label: "Postgres" }],
});

describe("a question for the user", () => {
  test("reaches the user, and the answer reaches the model", async () => {
    const { session, results, questions } = await slashSession({
      steps: [question, { text: "SQLite it is." }],
      answer: { behavior: "allow", scope: "once", message: "SQLite" },
    });
    await session.ask("set up storage");
    expect(questions).toEqual(["Which database?"]);
    expect(results()).toMatchObject([{ outcome: "ok", text: "The user has answered.\nThe user's answer: SQLite" }]);
  });

  test.each(["acceptEdits", "bypassPermissions", "plan"] as const)("is asked in the mode %s too", async (mode) => {
    const { session, questions } = await slashSession({
      steps: [question, { text: "Ok." }],
      answer: { behavior: "allow", scope: "once", message: "Postgres" },
      more: { permissionMode: mode, allowedTools: ["*"] },
    });
    await session.ask("set up storage");
    expect(questions).toEqual(["Which database?"]);
  });

  test("without a user the model decides, and the run continues", async () => {
    const { session, results } = await slashSession({ steps: [question, { text: "I took SQLite." }] });
    const reply = await session.ask("set up storage");
    expect(results()).toMatchObject([
      { outcome: "denied", text: expect.stringContaining("No user is available to answer. Decide yourself") },
    ]);
    expect(reply).toMatchObject({ text: "I took SQLite.", reason: "completed" });
  });

  test.each([
    [
      [{ question: "Which one?", header: "Store", multiSelect: true, options: [{ label: "SQLite" }] }],
      "Which one? (More than one answer is possible.)",
    ],
    [
      [{ question: "Which one?", options: [{ label: "SQLite", description: "One file." }] }, { question: "Why?" }],
      "1. Which one?\n   - SQLite: One file.\n2. Why?",
    ],
  ])("is accepted as a list of questions", async (questions, shown) => {
    const asked = await slashSession({
      steps: [call("AskUserQuestion", { questions }), { text: "Ok." }],
      answer: { behavior: "allow", scope: "once", message: "SQLite" },
    });
    await asked.session.ask("set up storage");
    expect(asked.questions).toEqual([shown]);
    expect(asked.results()).toMatchObject([{ outcome: "ok" }]);
  });

  test("in a list keeps the message about a wrong field", async () => {
    const { session, results } = await slashSession({
      steps: [call("AskUserQuestion", { questions: [] }), { text: "Ok." }],
    });
    await session.ask("set up storage");
    expect(results()).toMatchObject([{ outcome: "failed", text: expect.stringContaining("question") }]);
  });

  test("plain texts are options too", async () => {
    const { session, results, all } = await slashSession({
      steps: [call("AskUserQuestion", { question: "Which?", options: ["SQLite", "Postgres"] }), { text: "Ok." }],
      answer: { behavior: "allow", scope: "once", message: "Postgres" },
    });
    await session.ask("set up storage");
    expect(results()).toMatchObject([{ outcome: "ok" }]);
    expect(all("permission.asked")).toMatchObject([
      { input: { options: [{ label: "SQLite" }, { label: "Postgres" }] } },
    ]);
  });

  test("a rule can forbid it", async () => {
    const { session, results, questions } = await slashSession({
      steps: [question, { text: "Ok." }],
      answer: { behavior: "allow", scope: "once" },
      more: { disallowedTools: ["AskUserQuestion"] },
    });
    await session.ask("set up storage");
    expect(questions).toEqual([]);
    expect(results()[0]?.outcome).not.toBe("ok");
  });
});
