import { expect, test } from "vitest";
import type { Agent } from "../../../src/agent/index.ts";
import { createIdFactory } from "../../../src/platform/index.ts";
import type { CallId, Mail, MailBody, MailId, RequestId } from "../../../src/protocol/index.ts";
import { JobReport } from "../../../src/remote/jobs/job.ts";
import type { Arrived } from "../../../src/team/mailbox/mail-queue.ts";
import { createPermissionRequests } from "../../../src/team/requests/permission-requests.ts";
import { createPermissionResponder } from "../../../src/team/requests/permission-responder.ts";
import { createTestClock } from "../../../src/testing.ts";

const question = {
  requestId: "ask_00000001" as RequestId,
  callId: "call_1" as CallId,
  tool: "Bash",
  input: { command: "npm test" },
  question: "Run npm test?",
  suggestions: ["Bash(npm test)"],
  reason: "no rule allows it",
  around: { line: 1, prefix: "", suffix: "", before: [], after: ["a"], others: 0 },
  patch: "-a\n+b\n",
  sandbox: "inside" as const,
};

test("question of a teammate reaches the user with every field", async () => {
  const clock = createTestClock();
  const sent: MailBody[] = [];
  const requests = createPermissionRequests({
    sender: {
      send: async ({ body }) => {
        if (body) sent.push(body);
        return "mail_1" as MailId;
      },
    },
    folder: "/work",
    clock,
    createId: createIdFactory(clock),
    timeoutMs: 1000,
    onUnexpectedAnswer: async () => undefined,
    tell: async () => undefined,
  });
  void requests.ask(question, new AbortController().signal);
  await expect.poll(() => sent.length).toBe(1);

  const asked: unknown[] = [];
  const responder = createPermissionResponder({
    sender: { team: "alpha", name: "team-lead", send: async () => "mail_2" as MailId },
    lead: { record: async () => undefined } as unknown as Agent,
    ask: async (shown) => {
      asked.push(shown);
      return { behavior: "deny" };
    },
    colorOf: () => undefined,
    plansDecidedBy: "user",
    folderOf: () => "/work",
    allowPath: async () => undefined,
  });
  const body = sent[0] as Extract<MailBody, { kind: "permission_request" }>;
  const mail = { id: "mail_1", from: "scout", arrival: 1 } as Arrived<Mail>;
  const handled = responder.handlers.permission_request?.(mail, body, async () => undefined);
  await (handled as unknown as { later: Promise<void> }).later;
  expect(asked).toEqual([{ ...question, member: { team: "alpha", name: "scout" } }]);
});

test("question of a remote agent keeps every field", () => {
  const report = { kind: "question", generation: 1, number: 1, question };
  expect(JobReport.parse(report)).toEqual(report);
});
