import { resolve } from "node:path";
import type { PermissionQuestion } from "../../agent/index.ts";
import { type Clock, type CreateId, digestOfCall } from "../../platform/index.ts";
import {
  type Mail,
  type MailBody,
  type PermissionAnswer,
  questionFields,
  type RequestId,
  teamLead,
  TroupeError,
} from "../../protocol/index.ts";
import type { MailHandlers } from "../mailbox/inbox-consumer.ts";
import type { Arrived } from "../mailbox/mail-queue.ts";
import type { MailSender } from "../mailbox/mail-sender.ts";
import { createMailRequests, type RequestOutcome } from "./mail-requests.ts";

/**
 * Sends a member's permission requests to its lead by mail. Requests are stored on disk, may be open at the same time,
 * and each is answered once.
 */
export interface PermissionRequests {
  /** Rejects when `signal` aborts. Denies when no answer comes in time. */
  ask(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer>;
  /** Asks whether sandboxed commands may reach a host that is not listed. False when no answer comes in time. */
  askHost(host: string): Promise<boolean>;
  readonly handlers: MailHandlers;
  /**
   * A note on a text of the lead that came before its answer to the member's plan, but may look like an answer or a new
   * order. While the plan waits, the note waits with it.
   */
  noteOn(mail: Arrived<Mail>): string | undefined;
  /** Withdraws a request of a previous run, which no call waits for. */
  withdraw(requestId: RequestId): Promise<void>;
}

export interface PermissionRequestsOptions {
  readonly sender: Pick<MailSender, "send">;
  /** The member's working directory. */
  readonly folder: string;
  readonly clock: Clock;
  readonly createId: CreateId;
  readonly timeoutMs: number;
  /**
   * Called with the reason when an answer is ignored: its request is unknown or closed, or its digest does not match.
   */
  readonly onUnexpectedAnswer: (reason: string) => Promise<void>;
  /** Tells the model with its next turn. */
  readonly tell: (text: string) => Promise<void>;
  /**
   * Called when the member starts or stops waiting, with the first line of the oldest open request. Undefined: it waits
   * for nothing.
   */
  readonly onWait?: ((question: string | undefined) => void) | undefined;
}

export function createPermissionRequests(options: PermissionRequestsOptions): PermissionRequests {
  const { sender, timeoutMs } = options;
  const requests = createMailRequests<PermissionAnswer>(options);
  const questions = new Map<RequestId, PermissionQuestion>();
  const waits = createWaits(options);
  const lastPlan = createPlanWait();

  const withdraw = async (requestId: RequestId) => {
    try {
      await sender.send({ to: teamLead, body: { kind: "request_withdrawn", requestId }, wakes: false });
    } catch (error) {
      // The lead drops the requests of a member that has left by itself.
      if (!TroupeError.is(error)) throw error;
    }
  };

  /** Asks the lead, and withdraws the request if it ends without an answer. */
  const askLead = async (
    { requestId, digest, body, wakes }: { requestId: RequestId; digest: string; body: MailBody; wakes: boolean },
    { question, signal }: { readonly question: string; readonly signal?: AbortSignal | undefined },
  ): Promise<RequestOutcome<PermissionAnswer>> => {
    const onSent = () => waits.begin(requestId, question);
    let isAnswered = false;
    try {
      const outcome = await requests.request(
        { requestId, to: teamLead, digest, body, wakes, onSent },
        { timeoutMs, signal },
      );
      isAnswered = outcome.kind !== "timeout";
      return outcome;
    } finally {
      waits.end(requestId);
      if (!isAnswered) await withdraw(requestId);
    }
  };

  const settle = async ({ requestId, digest }: { requestId: RequestId; digest: string }, answer: PermissionAnswer) => {
    const settled = requests.settle(requestId, answer, { digest });
    if (settled === "unknown")
      await options.onUnexpectedAnswer(`ignored an answer to ${requestId}: no request waits for it`);
    if (settled === "mismatch")
      await options.onUnexpectedAnswer(`ignored an answer to ${requestId}: it does not match the request`);
  };

  const isOpen = (wanted: { requestId: RequestId; digest: string }) =>
    requests.open().some(({ requestId, digest }) => requestId === wanted.requestId && digest === wanted.digest);

  /** Answers open requests for a path that the whole team may change now. */
  const onPathAllowed = async ({ path, tool }: { path: string; tool: string }) => {
    for (const { requestId, digest } of requests.open()) {
      const question = questions.get(requestId);
      const asked = question && filePathOf(question.input);
      if (question?.tool !== tool || asked === undefined || resolve(options.folder, asked) !== path) continue;
      requests.settle(requestId, { behavior: "allow", scope: "once" }, { digest });
      await withdraw(requestId);
    }
  };

  /** Also after an interrupt, which withdraws the plan. */
  const closePlan = async () => {
    lastPlan.closed();
    if (lastPlan.isTexted()) await options.tell(lastPlan.note());
  };

  return {
    withdraw,
    async askHost(host) {
      const requestId = requests.createId();
      const digest = callDigest("Sandbox", { host });
      const body = { kind: "sandbox_permission_request" as const, requestId, host, digest };
      const question = `May its commands reach ${host}?`;
      const outcome = await askLead({ requestId, digest, body, wakes: false }, { question });
      return outcome.kind === "answer" && outcome.answer.behavior === "allow";
    },
    async ask(question, signal) {
      const { requestId } = question;
      const digest = callDigest(question.tool, question.input);
      questions.set(requestId, question);
      try {
        const body = requestBody(question, digest);
        const wakes = isPlanRequest(question);
        if (wakes) lastPlan.asked();
        return toAnswer(await askLead({ requestId, digest, body, wakes }, { ...question, signal }), question);
      } finally {
        questions.delete(requestId);
        if (isPlanRequest(question)) await closePlan();
      }
    },
    handlers: {
      permission_response: (_, body) => settle(body, body.answer),
      team_permission_update: (_, body) => onPathAllowed(body),
      sandbox_permission_response: (_, body) =>
        settle(body, body.allow ? { behavior: "allow", scope: "once" } : { behavior: "deny" }),
      plan_approval_response: ({ from, arrival }, body) => {
        lastPlan.closed(arrival, body.approve && isOpen(body) ? olderTextNote : earlyTextNote);
        return settle(body, planAnswer(body, from));
      },
    },
    noteOn({ from, body, arrival, urgent = false }) {
      if (from !== teamLead || body.kind !== "text" || !lastPlan.isBeforeAnswer(arrival)) return undefined;
      // An urgent text interrupts the member, which withdraws the plan.
      return !urgent && lastPlan.holdNote() ? undefined : lastPlan.note();
    },
  };
}

const earlyTextNote = `A message that ${teamLead} sent before your plan was answered does not answer the plan, whatever it says.`;
const olderTextNote = `A message that ${teamLead} sent before your plan was approved is older than the approval. Plan mode is off: do not call ExitPlanMode again.`;

/** Reports the question that the member has waited for longest. */
function createWaits({ onWait }: Pick<PermissionRequestsOptions, "onWait">) {
  const waiting = new Map<RequestId, string>();
  const report = () => onWait?.(waiting.values().next().value);
  return {
    begin(requestId: RequestId, question: string) {
      waiting.set(requestId, question.split("\n", 1)[0] ?? "");
      report();
    },
    end(requestId: RequestId) {
      if (waiting.delete(requestId)) report();
    },
  };
}

/**
 * The last plan, and which mail came before its answer. The order is that of the inbox: an answer is handled before
 * texts that came before it, and clocks can jump.
 */
function createPlanWait() {
  let plan: PlanWait = { state: "none" };
  return {
    asked: () => {
      plan = { state: "waiting", isTexted: false };
    },
    /** True if the plan still waits: then its answer decides on the note. */
    holdNote: () => {
      if (plan.state === "waiting") plan = { ...plan, isTexted: true };
      return plan.state === "waiting";
    },
    /** A text came while the plan waited. */
    isTexted: () => plan.state !== "none" && plan.isTexted,
    /** The first call counts. `by`: the arrival of the mail that closed it. `note`: on texts that came before. */
    closed: (by = 0, note = earlyTextNote) => {
      if (plan.state === "waiting") plan = { ...plan, state: "closed", by, note };
    },
    note: () => (plan.state === "closed" ? plan.note : earlyTextNote),
    isBeforeAnswer: (arrival: number) => plan.state === "waiting" || (plan.state === "closed" && arrival < plan.by),
  };
}

type PlanWait =
  | { readonly state: "none" }
  | { readonly state: "waiting"; readonly isTexted: boolean }
  | { readonly state: "closed"; readonly isTexted: boolean; readonly by: number; readonly note: string };

function toAnswer(outcome: RequestOutcome<PermissionAnswer>, question: PermissionQuestion): PermissionAnswer {
  switch (outcome.kind) {
    case "answer":
      return outcome.answer;
    case "refused":
      return { behavior: "deny", by: "policy", message: outcome.reason };
    case "timeout": {
      const who = isPlanRequest(question) ? `${teamLead} did not answer your plan` : `${teamLead} did not answer`;
      return { behavior: "deny", by: "timeout", message: `${who} within ${Math.round(outcome.timeoutMs / 1000)} s` };
    }
  }
}

function planAnswer(
  { approve, feedback, permissionMode, by: decidedBy = "lead" }: Extract<MailBody, { kind: "plan_approval_response" }>,
  from: string,
): PermissionAnswer {
  const by = from === teamLead && decidedBy === "lead" ? { by: "lead" as const } : {};
  if (!approve)
    return { behavior: "deny", message: feedback ?? "The plan was not approved. Ask what is missing.", ...by };
  return {
    behavior: "allow",
    scope: "once",
    ...by,
    ...(permissionMode && { permissionMode }),
    ...(feedback?.trim() && { message: feedback }),
  };
}

/** The file path in a call's input, as the call gives it. */
export function filePathOf(input: unknown): string | undefined {
  const path = typeof input === "object" && input !== null && "file_path" in input ? input.file_path : undefined;
  return typeof path === "string" ? path : undefined;
}

const isPlanRequest = ({ tool }: Pick<PermissionQuestion, "tool">): boolean => tool === "ExitPlanMode";

/** Binds an answer to the tool and the exact input of the request. */
export const callDigest = digestOfCall;

function requestBody(question: PermissionQuestion, digest: string): MailBody {
  const { requestId, input } = question;
  if (isPlanRequest(question)) {
    const plan = typeof input === "object" && input !== null && "plan" in input ? String(input.plan) : "";
    return { kind: "plan_approval_request", requestId, plan, digest };
  }
  return { kind: "permission_request", requestId, ...questionFields(question), digest };
}
