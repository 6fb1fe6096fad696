import { resolve } from "node:path";
import type { Agent, PermissionQuestion } from "../../agent/index.ts";
import {
  type Mail,
  type MailBody,
  type PermissionAnswer,
  questionFields,
  type RequestId,
} from "../../protocol/index.ts";
import type { MailHandlers } from "../mailbox/inbox-consumer.ts";
import type { MailSender } from "../mailbox/mail-sender.ts";
import { respondByMail, sendAnswer } from "./mail-requests.ts";
import { callDigest, filePathOf } from "./permission-requests.ts";
import { createPlanResponder, type PlanResponder, type PlanResponderPorts } from "./plan-responder.ts";
import { createUserQuestions, type UserQuestionsPorts } from "./user-questions.ts";

/** The lead's side of its members' requests: shows them on the lead's frontends and mails the answers back. */
export interface PermissionResponder extends Pick<PlanResponder, "plans"> {
  readonly handlers: MailHandlers;
  answerPlan: PlanResponder["answer"];
  /** Drops the open requests of this member. */
  forget(name: string): void;
  /** Open requests stay unanswered. Their members ask again when the lead is back. */
  close(): void;
}

export interface PermissionResponderOptions extends UserQuestionsPorts, Pick<PlanResponderPorts, "plansDecidedBy"> {
  readonly sender: MailSender;
  readonly lead: Agent;
  readonly colorOf: (name: string) => string | undefined;
  /** The member's working directory. */
  readonly folderOf: (name: string) => string;
  readonly onPlanOpened?: PlanResponderPorts["onOpened"];
  readonly onPlanClosed?: PlanResponderPorts["onClosed"];
  /** Allows every member to change this path. */
  readonly allowPath: (path: { path: string; tool: string; askedBy: string }) => Promise<void>;
}

type PermissionRequest = Extract<MailBody, { kind: "permission_request" }>;
type HostRequest = Extract<MailBody, { kind: "sandbox_permission_request" }>;

export function createPermissionResponder(options: PermissionResponderOptions): PermissionResponder {
  const { sender } = options;
  const questions = createUserQuestions(options);
  const warn = (message: string) =>
    options.lead.record({ type: "notice.raised", level: "warning", code: "mail", message });
  const replies = { sender, warn };
  const askUser = (mail: Mail, question: Omit<PermissionQuestion, "member">) => {
    const color = options.colorOf(mail.from);
    const member = { team: sender.team, name: mail.from, ...(color && { color }) };
    return questions.ask(mail.from, { ...question, member });
  };
  const plans = createPlanResponder({
    plansDecidedBy: options.plansDecidedBy,
    askUser,
    onOpened: options.onPlanOpened,
    onClosed: options.onPlanClosed,
    send: (to, answer) => sendAnswer(to, answer, replies),
    warn,
  });

  const answerPermission = async (mail: Mail, { digest, ...body }: PermissionRequest) => {
    const { requestId, tool, input } = body;
    if (questions.isOpen(requestId)) return undefined;
    if (digest !== callDigest(tool, input)) {
      await warn(`ignored a request of ${mail.from}: its digest does not match what it shows`);
      return undefined;
    }
    const answer = await askUser(mail, { requestId, ...questionFields(body) });
    if (!answer) return undefined;
    await allowForTeam(mail.from, { tool, input }, answer);
    return { kind: "permission_response" as const, requestId, digest, answer };
  };

  const allowForTeam = async (
    name: string,
    { tool, input }: Pick<PermissionRequest, "tool" | "input">,
    answer: PermissionAnswer,
  ) => {
    if (answer.behavior !== "allow" || !answer.team) return;
    const path = filePathOf(answer.input ?? input);
    if (path !== undefined)
      await options.allowPath({ path: resolve(options.folderOf(name), path), tool, askedBy: name });
  };

  /** A host request covers the member's sandboxed commands until its session ends. */
  const answerHost = async (mail: Mail, { requestId, host, digest }: HostRequest) => {
    if (digest !== callDigest("Sandbox", { host })) return undefined;
    const answer = await askUser(mail, hostQuestion(mail.from, { requestId, host }));
    const allow = answer?.behavior === "allow";
    return answer && { kind: "sandbox_permission_response" as const, requestId, digest, allow };
  };

  const drop = (requestId: RequestId) => {
    plans.drop(requestId);
    questions.drop(requestId);
  };

  return {
    plans: plans.plans,
    answerPlan: plans.answer,
    forget(name) {
      for (const [requestId, { from }] of plans.plans) if (from === name) drop(requestId);
      questions.dropAllOf(name);
    },
    close: questions.close,
    handlers: {
      ...respondByMail("permission_request", replies, answerPermission),
      ...respondByMail("sandbox_permission_request", replies, answerHost),
      request_withdrawn: async (mail, { requestId }, admit) => {
        const plan = plans.plans.get(requestId);
        const from = questions.askerOf(requestId) ?? plan?.from;
        if (from !== mail.from) return;
        drop(requestId);
        // The lead's model has the plan in its conversation and would answer it.
        if (plan) await admit();
      },
      plan_approval_request: (mail, body, admit) => ({ later: plans.respond(mail, body, admit) }),
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
