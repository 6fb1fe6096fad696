import { expect, test } from "vitest";
import { createScreen } from "../../../src/cli/screen.ts";
import { createTeammatePrinter } from "../../../src/cli/teammate/teammate-printer.ts";
import type { AgentId, Envelope, Event } from "../../../src/protocol/index.ts";

function shown(events: readonly (Event | [AgentId, Event])[]): string {
  let text = "";
  const output = { isTTY: false, columns: 80, write: (piece: string) => ((text += piece), true) };
  const show = createTeammatePrinter(createScreen(output, {}));
  for (const [seq, item] of events.entries()) {
    const [agent, event] = Array.isArray(item) ? item : [own, item];
    show({
      v: 1,
      id: `evt_${seq}`,
      session: "ses_test",
      agent,
      seq,
      at: "2026-01-01T00:00:00.000Z",
      event,
    } as unknown as Envelope);
  }
  return text;
}

const own = "agt_own00000" as AgentId;
const helper = "agt_helper00" as AgentId;
const events = (list: readonly unknown[]) => list as readonly (Event | [AgentId, Event])[];

test("pane shows senders, calls, questions, answers and that it waits", () => {
  const text = shown(
    events(
      [
        {
          type: "mail.received",
          team: "t",
          mailId: "mail_1",
          kind: "text",
          summary: "look at the parser",
          from: "team-lead",
        },
        { type: "task.claimed", team: "t", taskId: 3, subject: "Fix the parser" },
        { type: "turn.started", turn: 1, model: "m" },
        { type: "tool.called", turn: 1, callId: "c1", name: "Bash", input: {}, title: "Bash(npm test)" },
        {
          type: "permission.asked",
          requestId: "ask_1",
          callId: "c1",
          tool: "Bash",
          input: {},
          question: "Run npm test?",
          suggestions: [],
        },
        { type: "permission.settled", requestId: "ask_1", behavior: "allow", by: "user" },
        {
          type: "tool.settled",
          callId: "c1",
          durationMs: 5,
          outcome: "failed",
          content: [{ type: "text", text: "exit code 1\nmore" }],
        },
        {
          type: "agent.spawned",
          path: "lead/helper",
          parent: own,
          agentType: "x",
          model: "m",
          permissionMode: "default",
          cwd: "/",
        },
        [
          helper,
          {
            type: "agent.spawned",
            path: "lead/helper",
            parent: own,
            agentType: "x",
            model: "m",
            permissionMode: "default",
            cwd: "/",
          },
        ],
        [helper, { type: "tool.called", turn: 1, callId: "c2", name: "Read", input: {}, title: "Read(a.ts)" }],
        [helper, { type: "agent.idle", reason: "completed" }],
        { type: "mail.sent", team: "t", mailId: "mail_2", kind: "idle_notification", to: "team-lead" },
        { type: "task.updated", team: "t", taskId: 3, status: "in_progress" },
        { type: "agent.idle", reason: "interrupted" },
      ].filter((event) => !("path" in event)),
    ),
  );
  expect(text).toMatchInlineSnapshot(`
    "← team-lead: look at the parser
    # claimed task 3: Fix the parser
      Bash(npm test)
    ? asks team-lead: Run npm test?
    ? allowed
      failed: exit code 1
      [helper] Read(a.ts)
    → team-lead: idle notification
    # task 3: in progress
    · idle (interrupted)
    "
  `);
});

test("model output cannot control the terminal, and a long answer is cut", () => {
  const long = Array.from({ length: 100 }, (_, at) => `line ${at}`).join("\n");
  const turn = (text: string) => ({
    type: "turn.ended",
    turn: 1,
    parts: [{ type: "text", text }],
    stopReason: "end_turn",
    contextTokens: 0,
    durationMs: 0,
  });
  const text = shown(events([turn("\u001b]0;x\u0007 and \u001b[2J"), turn(long)]));
  expect(text).not.toContain("\u001b");
  expect(text).toContain("line 59");
  expect(text).not.toContain("line 60");
  expect(text).toContain("… and 40 more lines");
});

test("a repeated attempt has one punctuation mark after the failure", () => {
  const failure = { kind: "connection", message: "The connection to a.example failed (UND_ERR_SOCKET)." };
  expect(shown(events([{ type: "turn.retried", turn: 1, attempt: 1, delayMs: 500, failure }]))).toContain(
    "failed (UND_ERR_SOCKET); retrying",
  );
});
