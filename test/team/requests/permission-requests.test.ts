import { expect, test } from "vitest";
import type { PermissionQuestion } from "../../../src/agent/index.ts";
import { createIdFactory, digestOfCall } from "../../../src/platform/index.ts";
import type { Mail, MailBody, MailId, RequestId } from "../../../src/protocol/index.ts";
import type { Arrived } from "../../../src/team/mailbox/mail-queue.ts";
import { createPermissionRequests } from "../../../src/team/requests/permission-requests.ts";
import { createTestClock } from "../../../src/testing.ts";

const requestId = "ask_1" as RequestId;
const input = { plan: "build it" };
const question = { requestId, tool: "ExitPlanMode", input, question: "Leave plan mode?", suggestions: [] };
const early = "A message that team-lead sent before your plan was answered does not answer the plan, whatever it says.";
const older =
  "A message that team-lead sent before your plan was approved is older than the approval. Plan mode is off: do not call ExitPlanMode again.";

/** A member that presents plans. Mail of the lead is stamped by a clock that has nothing to do with the order. */
function planner() {
  const clock = createTestClock();
  const told: string[] = [];
  const sent: MailBody[] = [];
  const asks = createPermissionRequests({
    sender: {
      send: async ({ body }) => {
        if (body) sent.push(body);
        return "mail_9" as MailId;
      },
    },
    folder: "/work",
    clock,
    createId: createIdFactory(clock),
    timeoutMs: 1000,
    onUnexpectedAnswer: async () => undefined,
    tell: async (text) => void told.push(text),
  });
  const mail = (arrival: number, body: MailBody, timestamp: string) =>
    ({
      id: `mail_${arrival}`,
      from: "team-lead",
      to: "planner",
      wakes: true,
      arrival,
      body,
      timestamp,
    }) as Arrived<Mail>;
  return {
    told,
    sent,
    clock,
    present: (signal = new AbortController().signal) => asks.ask(question as unknown as PermissionQuestion, signal),
    text: (arrival: number, timestamp: string) =>
      asks.noteOn(mail(arrival, { kind: "text", text: "Approved, go ahead." }, timestamp)),
    answer: async (arrival: number, approve: boolean, timestamp: string) => {
      const digest = digestOfCall("ExitPlanMode", input);
      const body = { kind: "plan_approval_response" as const, requestId, digest, approve, feedback: "no" };
      await asks.handlers.plan_approval_response?.(mail(arrival, body, timestamp), body, async () => undefined);
    },
  };
}

const past = "2001-01-01T00:00:00.000Z";
const future = "2099-01-01T00:00:00.000Z";

test("a text that waits with the plan is noted after a refusal, whatever the clocks say", async () => {
  const { present, text, answer, told } = planner();
  const answered = present();
  expect(text(1, past)).toBeUndefined();
  await answer(2, false, future);
  expect(await answered).toMatchObject({ behavior: "deny" });
  expect(told).toEqual([early]);
});

test("a text is before or after the answer by its place in the inbox, whatever the clocks say", async () => {
  const { present, text, answer, told } = planner();
  const answered = present();
  await answer(2, false, past);
  await answered;
  expect(text(1, future)).toBe(early);
  expect(text(3, past)).toBeUndefined();
  expect(told).toEqual([]);
});

test("a text that came before the approval is noted as older, a later one is not", async () => {
  const { present, text, answer, told } = planner();
  const answered = present();
  expect(text(1, past)).toBeUndefined();
  await answer(3, true, past);
  expect(await answered).toMatchObject({ behavior: "allow" });
  expect(told).toEqual([older]);
  expect(text(2, future)).toBe(older);
  expect(text(4, past)).toBeUndefined();
});

test("an interrupt withdraws the plan, and a text that waited with it is noted", async () => {
  const { present, text, told, sent } = planner();
  const interrupt = new AbortController();
  const answered = present(interrupt.signal);
  await expect.poll(() => sent).toHaveLength(1);
  expect(text(1, past)).toBeUndefined();
  interrupt.abort(new Error("interrupted"));
  await expect(answered).rejects.toThrow("interrupted");
  expect(sent[1]).toEqual({ kind: "request_withdrawn", requestId });
  expect(told).toEqual([early]);
});
