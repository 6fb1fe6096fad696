import { resolve } from "node:path";
import type { Agent, PermissionQuestion } from "../../agent/index.ts";
import { rejectOnAbort } from "../../platform/index.ts";
import { type Mail, type MailBody, type PermissionAnswer, type RequestId, TroupeError } from "../../protocol/index.ts";
import { callDigest, filePathOf } from "./permission-requests.ts";
import type { MailHandlers, InboxConsumer } from "../mailbox/inbox-consumer.ts";
import { sendFailureReason } from "../mailbox/mail-error.ts";

/** The lead's side of its members' requests: shows them on the lead's frontends and mails the answers back. */
export interface PermissionResponder {
  readonly handlers: MailHandlers;
  /** Plans that wait for the lead's model, by request id. */
  readonly plans: ReadonlyMap<RequestId, OpenPlan>;
  /**
   * Sends the answer of the lead's model. The first answer counts. Rejects with a TroupeError if no plan waits for it.
   */
  answerPlan(requestId: RequestId, answer: PlanAnswer): Promise<void>;
  /** Drops the open requests of this member. */
  forget(name: string): void;
  /** Open requests stay unanswered. Their members ask again when the lead is back. */
  close(): void;
}

export interface OpenPlan {
  readonly from: string;
  readonly plan: string;
  readonly digest: string;
}

export interface PlanAnswer {
  readonly approve: boolean;
  readonly feedback?: string | undefined;
  /** A mode other than the one the member was started with. */
  readonly permissionMode?: Extract<PermissionAnswer, { behavior: "allow" }>["permissionMode"];
}

export interface PermissionResponderOptions {
  readonly link: () => InboxConsumer;
  readonly lead: () => Agent;
  /** Asks the user that answers the lead's own questions. Undefined when no user is connected. */
  readonly ask: (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer> | undefined;
  readonly colorOf: (name: string) => string | undefined;
  /** `lead`: the lead's model decides on plans. `user`: the user does. */
  readonly plansDecidedBy: "lead" | "user";
  /** The member's working directory. */
  readonly folderOf: (name: string) => string;
  /** Allows every member to change this path. */
  readonly allowPath: (path: { path: string; tool: string; askedBy: string }) => Promise<void>;
}

type PermissionRequest = Extract<MailBody, { kind: "permission_request" }>;
type HostRequest = Extract<MailBody, { kind: "sandbox_permission_request" }>;
type PlanRequest = Extract<MailBody, { kind: "plan_approval_request" }>;

export function createPermissionResponder(options: PermissionResponderOptions): PermissionResponder {
  const plans = new Map<RequestId, OpenPlan>();
  let closing = false;
  const planWaiters = new Map<RequestId, () => void>();
  /** Plans that wait for the user. */
  const shownPlans = new Set<RequestId>();
  const openQuestions = new Map<RequestId, { readonly from: string; readonly abort: AbortController }>();

  const ask = async (mail: Mail, question: PermissionQuestion): Promise<PermissionAnswer | undefined> => {
    const { requestId } = question;
    const abort = new AbortController();
    openQuestions.set(requestId, { from: mail.from, abort });
    const settle = (settled: { behavior: "allow" | "deny"; by: "user" | "policy" | "interrupt"; message?: string }) =>
      options.lead().record({ type: "permission.settled", requestId, ...settled });
    try {
      const answered = options.ask(question, abort.signal);
      answered?.catch(() => undefined); // handled below
      await options.lead().record({ type: "permission.asked", ...question });
      if (!answered) {
        const message = "no user to ask";
        await settle({ behavior: "deny", by: "policy", message });
        return { behavior: "deny", by: "policy", message: "no user is connected to give permission" };
      }
      // The answering side may ignore the signal.
      const answer = await rejectOnAbort(answered, abort.signal);
      await settle({ behavior: answer.behavior, by: "user", ...(answer.message && { message: answer.message }) });
      return answer;
    } catch (error) {
      if (!abort.signal.aborted) throw error;
      if (closing) return new Promise<never>(() => undefined);
      await settle({ behavior: "deny", by: "interrupt", message: `${mail.from} no longer waits for an answer` });
      return undefined;
    } finally {
      openQuestions.delete(requestId);
    }
  };

  const questionOf = (mail: Mail, body: Omit<PermissionRequest, "kind" | "digest">): PermissionQuestion => {
    const color = options.colorOf(mail.from);
    return { ...body, member: { team: options.link().team, name: mail.from, ...(color && { color }) } };
  };

  const onPermission = async (
    mail: Mail,
    { requestId, digest, callId, tool, input, question, suggestions, reason, around }: PermissionRequest,
  ) => {
    const optionalFields = { ...(reason !== undefined && { reason }), ...(around && { around }) };
    const body = { requestId, callId, tool, input, question, suggestions, ...optionalFields };
    if (openQuestions.has(body.requestId)) return;
    if (digest !== callDigest(body.tool, body.input)) {
      const message = `ignored a request of ${mail.from}: its digest does not match what it shows`;
      await options.lead().record({ type: "notice.raised", level: "warning", code: "mail", message });
      return;
    }
    const answer = await ask(mail, questionOf(mail, body));
    if (!answer) return;
    if (answer.behavior === "allow" && answer.team)
      await allowForTeam(mail.from, { tool, input: answer.input ?? input });
    await reply(mail.from, { kind: "permission_response", requestId, digest, answer });
  };

  /** A host request covers the member's sandboxed commands until its session ends. */
  const onHostRequest = async (mail: Mail, { requestId, host, digest }: HostRequest) => {
    const shown = digest === callDigest("Sandbox", { host });
    const answer = shown && (await ask(mail, questionOf(mail, hostQuestion(mail.from, { requestId, host }))));
    if (answer)
      await reply(mail.from, {
        kind: "sandbox_permission_response",
        requestId,
        digest,
        allow: answer.behavior === "allow",
      });
  };

  const reply = async (to: string, body: MailBody) => {
    try {
      await options.link().send({ to, body });
    } catch (error) {
      const message = `cannot send the answer to ${to}: ${sendFailureReason(error)}`;
      await options.lead().record({ type: "notice.raised", level: "warning", code: "mail", message });
    }
  };

  const allowForTeam = async (name: string, { tool, input }: Pick<PermissionRequest, "tool" | "input">) => {
    const path = filePathOf(input);
    if (path !== undefined)
      await options.allowPath({ path: resolve(options.folderOf(name), path), tool, askedBy: name });
  };

  const onPlan = async (mail: Mail, { requestId, plan, digest }: PlanRequest) => {
    const question = questionOf(mail, {
      requestId,
      callId: requestId as string as PermissionQuestion["callId"],
      tool: "ExitPlanMode",
      input: { plan },
      question: `May ${mail.from} leave plan mode and carry out this plan?\n\n${plan}`,
      suggestions: [],
    });
    shownPlans.add(requestId);
    const answer = await ask(mail, question);
    if (!shownPlans.delete(requestId)) return answer && warnTooLate(mail.from);
    if (!answer) return;
    const feedback = answer.message;
    const permissionMode = answer.behavior === "allow" ? answer.permissionMode : undefined;
    const approve = answer.behavior === "allow";
    await replyToPlan({ requestId, from: mail.from, digest }, { approve, feedback, permissionMode });
  };

  /** The member withdrew the plan while the user answered. */
  const warnTooLate = (from: string) => {
    const message = `${from} withdrew its plan before the answer came. The answer was not sent.`;
    return options.lead().record({ type: "notice.raised", level: "warning", code: "mail", message });
  };

  const replyToPlan = (
    { requestId, from, digest }: Pick<OpenPlan, "from" | "digest"> & { readonly requestId: RequestId },
    { approve, feedback, permissionMode }: PlanAnswer,
  ) =>
    reply(from, {
      kind: "plan_approval_response",
      requestId,
      digest,
      approve,
      ...(feedback !== undefined && { feedback }),
      ...(permissionMode && { permissionMode }),
    });

  const answerPlan = async (requestId: RequestId, answer: PlanAnswer) => {
    const plan = plans.get(requestId);
    if (!plan) throw new TroupeError("team", `No plan with the request id ${requestId} waits for an answer.`);
    plans.delete(requestId);
    await replyToPlan({ requestId, ...plan }, answer);
    planWaiters.get(requestId)?.();
    planWaiters.delete(requestId);
  };

  /** Shows the plan to the lead's model, which decides. */
  const showPlan = async (mail: Mail, { requestId, plan, digest }: PlanRequest, admit: () => Promise<void>) => {
    plans.set(requestId, { from: mail.from, plan, digest });
    const answered = new Promise<void>((resolve) => planWaiters.set(requestId, resolve));
    await admit();
    await answered;
  };

  const dropRequest = (requestId: RequestId) => {
    plans.delete(requestId);
    shownPlans.delete(requestId);
    planWaiters.get(requestId)?.();
    planWaiters.delete(requestId);
    openQuestions.get(requestId)?.abort.abort();
  };

  return {
    plans,
    answerPlan,
    forget(name) {
      for (const [requestId, { from }] of [...plans, ...openQuestions]) if (from === name) dropRequest(requestId);
    },
    close() {
      closing = true;
      for (const { abort } of openQuestions.values()) abort.abort();
    },
    handlers: {
      permission_request: (mail, body) => ({ later: onPermission(mail, body) }),
      sandbox_permission_request: (mail, body) => ({ later: onHostRequest(mail, body) }),
      request_withdrawn: async (mail, { requestId }) => {
        const from = openQuestions.get(requestId)?.from ?? plans.get(requestId)?.from;
        if (from === mail.from) dropRequest(requestId);
      },
      plan_approval_request: (mail, body, admit) => ({
        later: options.plansDecidedBy === "user" ? onPlan(mail, body) : showPlan(mail, body, admit),
      }),
    },
  };
}

const hostQuestion = (name: string, { requestId, host }: Pick<HostRequest, "requestId" | "host">) => ({
  requestId,
  callId: requestId as string as PermissionQuestion["callId"],
  tool: "Sandbox",
  input: { host },
  question: `May sandboxed commands of ${name} reach ${host}?`,
  suggestions: [],
});
