import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import type { Event, SessionId, SessionListing } from "../../../src/protocol/index.ts";
import { emptyView, type Question, reduceAll } from "../../../src/view/index.ts";
import { approvalsOf } from "../../../web/src/state/approvals.ts";
import { QuestionBody, reasonOf } from "../../../web/src/views/approvals/question-body.tsx";
import { callId, enclose, lead, opened, requestId, sessionId, spawned } from "../../support/view/sample-envelopes.ts";

const asked = (number: number, more: Partial<Extract<Event, { type: "permission.asked" }>> = {}): Event => ({
  type: "permission.asked",
  requestId: requestId(number),
  callId: callId(`c${number}`),
  tool: "Bash",
  input: { command: "ls" },
  question: "Allow ls?",
  suggestions: [],
  ...more,
});
const view = reduceAll(
  emptyView,
  enclose([opened(), spawned(), asked(1), asked(2, { member: { team: "t", name: "ann", color: "green" } })]),
);
const listing = (more: Partial<SessionListing> = {}): SessionListing => ({
  id: sessionId,
  cwd: "/",
  startedAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
  state: "reachable",
  ...more,
});

describe("approvals", () => {
  test("are all open questions, with the asking agent", () => {
    expect(approvalsOf(view, sessionId, [listing()])).toMatchObject([
      { session: sessionId, asker: { name: "lead", team: undefined }, readOnlyReason: undefined },
      { session: sessionId, asker: { name: "ann", team: "t", color: "green" }, readOnlyReason: undefined },
    ]);
  });

  test("are empty when no process waits, and disabled when none can be reached", () => {
    expect(approvalsOf(view, sessionId, [listing({ state: "stored" })])).toEqual([]);
    expect(approvalsOf(view, sessionId, [listing({ state: "open" })])[0]?.readOnlyReason).toContain("terminal");
  });

  test("of a member are answered at its lead", () => {
    const leads = "ses_44444444" as SessionId;
    const sessions = [listing({ team: "t", role: "teammate" }), listing({ id: leads, team: "t", role: "lead" })];
    expect(approvalsOf(view, sessionId, sessions)[0]?.session).toBe(leads);
  });
});

const question = (tool: string, input: unknown, words = ""): Question => ({
  agent: lead,
  at: "2026-01-01T00:00:00.000Z",
  requestId: requestId(1),
  callId: callId("c1"),
  tool,
  input,
  question: words,
  suggestions: [],
});
const drawn = (tool: string, input: unknown) => renderToStaticMarkup(<QuestionBody question={question(tool, input)} />);
const read = (tool: string, input: unknown) => drawn(tool, input).replace(/<[^>]*>/g, "");

describe("subject of an approval", () => {
  test("is the exact command, with hidden characters marked", () => {
    const page = drawn("Bash", { command: "echo a\u202Eb\r\nrm x", description: "say it", timeout: 5 });
    expect(page).toContain("<mark>[U+202E]</mark>");
    expect(page).toContain("<mark>\u240d</mark>");
    expect(page).toContain("invisible characters");
    expect(read("Bash", { command: "a  b\tc" })).toContain("a  b\tc");
    expect(drawn("Bash", { command: "ls" })).not.toContain("invisible characters");
    for (const piece of ["say it", "timeout", "5"]) expect(page).toContain(piece);
  });

  test("is the complete change", () => {
    const page = drawn("Edit", {
      file_path: "/a/b.ts",
      old_string: "one\ntwo",
      new_string: "one\n2",
      replace_all: true,
    });
    expect(page).toContain("/a/b.ts");
    expect(page).toMatch(/data-kind="removed".*two/s);
    expect(page).toMatch(/data-kind="added".*2/s);
    expect(page).toContain("replace_all");
    expect(read("Write", { file_path: "x", content: "no end" })).toContain("no line break at the end");
    expect(read("Write", { file_path: "x", content: "" })).toContain("the file is emptied");
  });

  test("is every field of an unknown tool", () => {
    expect(read("mcp__a__b", { path: "/x\u200By", list: [1, { a: "<b>" }] })).toContain("/x[U+200B]y");
    expect(drawn("mcp__a__b", { html: "<img src=x onerror=alert(1)>" })).not.toContain("<img");
    expect(read("mcp__a__b", "bare")).toContain("bare");
  });

  test("has the reason for the question", () => {
    expect(reasonOf(question("Bash", {}, "It reaches the network. Allow curl?"))).toBe("It reaches the network.");
    expect(reasonOf(question("Bash", {}, "Allow ls?"))).toBe("");
  });
});
