import { expect, test } from "vitest";
import type { Agent } from "../../../src/agent/index.ts";
import { digestOfCall } from "../../../src/platform/index.ts";
import type {
  CallId,
  Mail,
  MailBody,
  MailId,
  PermissionAnswer,
  RequestId,
  StoredEvent,
} from "../../../src/protocol/index.ts";
import type { Arrived } from "../../../src/team/mailbox/mail-queue.ts";
import {
  type PermissionResponderOptions,
  createPermissionResponder,
} from "../../../src/team/requests/permission-responder.ts";
import { gate } from "../../support/team/team-session.ts";

const requestId = "ask_1" as RequestId;
const from = (name: string) => ({ id: "mail_1", from: name, arrival: 1 }) as Arrived<Mail>;
const plan = { kind: "plan_approval_request", requestId, plan: "build it", digest: "d" } as const;
const withdrawal = { kind: "request_withdrawn", requestId } as const;
const admit = async () => undefined;
const yes: PermissionAnswer = { behavior: "allow", scope: "once" };

const handled = (came: unknown): Promise<void> => (came as { later: Promise<void> }).later;

/** A lead's side without a lead: its records, sent mail and permissions. */
function desk(answer: Promise<PermissionAnswer>, more: Partial<PermissionResponderOptions> = {}) {
  const recorded: StoredEvent[] = [];
  const sent: { to: string; body?: MailBody }[] = [];
  const allowed: string[] = [];
  let onRecord: (event: StoredEvent) => Promise<void> = async () => undefined;
  const answers = createPermissionResponder({
    sender: {
      team: "alpha",
      name: "team-lead",
      send: async ({ to, body }) => {
        sent.push({ to, ...(body && { body }) });
        return "mail_2" as MailId;
      },
    },
    lead: {
      record: async (event: StoredEvent) => {
        recorded.push(event);
        await onRecord(event);
      },
    } as unknown as Agent,
    ask: () => answer,
    colorOf: () => undefined,
    plansDecidedBy: "user",
    folderOf: () => "/work",
    allowPath: async ({ path }) => void allowed.push(path),
    ...more,
  });
  const { handlers } = answers;
  return {
    answers,
    recorded,
    sent,
    allowed,
    /** Runs the action while an event of this type is recorded. */
    during: (type: StoredEvent["type"], action: () => Promise<void>) => {
      onRecord = async (event) => {
        if (event.type === type) await action();
      };
    },
    present: () => handled(handlers.plan_approval_request?.(from("scout"), plan, admit)),
    withdraw: async (name: string, show = admit) =>
      handlers.request_withdrawn?.(from(name), withdrawal, show) as Promise<void>,
    ask: (input: object) =>
      handled(
        handlers.permission_request?.(
          from("scout"),
          {
            kind: "permission_request",
            requestId,
            callId: "call_1" as CallId,
            tool: "Write",
            input,
            question: "May it?",
            suggestions: [],
            digest: digestOfCall("Write", input),
          },
          admit,
        ),
      ),
  };
}

const settledIn = (recorded: readonly StoredEvent[]) => recorded.filter(({ type }) => type === "permission.settled");
const noticesIn = (recorded: readonly StoredEvent[]) =>
  recorded.flatMap((event) => (event.type === "notice.raised" ? [event.message] : []));

test("a plan for the user to decide cannot be answered by the lead's model", async () => {
  const { opened, open } = gate();
  const { answers, present, sent } = desk(opened.then(() => yes));
  const done = present();
  expect([...answers.plans]).toEqual([]);
  await expect(answers.answerPlan(requestId, { approve: true })).rejects.toThrow(
    `No plan with the request id ${requestId} waits for an answer.`,
  );
  expect(sent).toEqual([]);
  open();
  await done;
  expect(sent).toMatchObject([{ to: "scout", body: { kind: "plan_approval_response", approve: true, digest: "d" } }]);
});

test("a plan withdrawn while its answer is recorded sends nothing and gives a notice", async () => {
  const { present, during, withdraw, sent, recorded } = desk(Promise.resolve(yes));
  during("permission.settled", () => withdraw("scout"));
  await present();
  expect(sent).toEqual([]);
  expect(noticesIn(recorded)).toEqual([
    expect.stringContaining("scout withdrew its plan before the answer came. The answer was not sent."),
  ]);
});

test("a withdrawn question ends, even if its dialog ignores that", async () => {
  const { present, during, withdraw, sent, recorded } = desk(new Promise(() => undefined));
  const asked = gate();
  during("permission.asked", async () => asked.open());
  const done = present();
  await asked.opened;
  await withdraw("other");
  expect(settledIn(recorded)).toEqual([]);
  await withdraw("scout");
  await done;
  expect(sent).toEqual([]);
  expect(settledIn(recorded)).toMatchObject([{ behavior: "deny", by: "interrupt" }]);
  expect(noticesIn(recorded)).toEqual([]);
});

test("the first plan answer of the lead's model counts, and a second one is refused", async () => {
  const { answers, present, sent, withdraw } = desk(Promise.resolve(yes), { plansDecidedBy: "lead" });
  const done = present();
  await withdraw("other");
  expect([...answers.plans.keys()]).toEqual([requestId]);
  const [first, second] = await Promise.allSettled([
    answers.answerPlan(requestId, { approve: false, feedback: "smaller" }),
    answers.answerPlan(requestId, { approve: true }),
  ]);
  await done;
  expect([first.status, second.status]).toEqual(["fulfilled", "rejected"]);
  expect(sent).toMatchObject([{ body: { approve: false, feedback: "smaller" } }]);
});

test("the lead's model reads that a plan was withdrawn, once", async () => {
  const { answers, present, withdraw } = desk(Promise.resolve(yes), { plansDecidedBy: "lead" });
  const done = present();
  let shown = 0;
  const show = async () => void shown++;
  await withdraw("other", show);
  expect(shown).toBe(0);
  await withdraw("scout", show);
  await withdraw("scout", show);
  await done;
  expect(shown).toBe(1);
  expect([...answers.plans]).toEqual([]);
});

test("a permission for the whole team is the user's version, not the requested one", async () => {
  const input = { file_path: "other.txt", content: "x" };
  const changed = desk(Promise.resolve({ ...yes, team: true, input }));
  await changed.ask({ file_path: "asked.txt", content: "x" });
  expect(changed.allowed).toEqual(["/work/other.txt"]);
  const asked = desk(Promise.resolve({ ...yes, team: true }));
  await asked.ask({ file_path: "asked.txt", content: "x" });
  expect(asked.allowed).toEqual(["/work/asked.txt"]);
});
