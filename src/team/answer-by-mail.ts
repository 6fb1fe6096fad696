import { resolve } from "node:path";
import type { Agent, PermissionQuestion } from "../agent/index.ts";
import { type Mail, type MailBody, type PermissionAnswer, type RequestId, TroupeError } from "../protocol/index.ts";
import { digestOf, pathIn } from "./ask-by-mail.ts";
import type { MailHandlers, MemberLink } from "./member-link.ts";
import { whyNotSent } from "./why-not-sent.ts";

/** A lead's side of its members' questions: shown on the lead's surfaces, answered there, sent back. */
export interface AnswerByMail {
  readonly handlers: MailHandlers;
  /** Plans that wait for the lead's model, by their request. */
  readonly plans: ReadonlyMap<RequestId, OpenPlan>;
  /** The answer of the lead's model; the first one counts. Rejects with a TroupeError where nobody waits for it. */
  answerPlan(requestId: RequestId, answer: PlanAnswer): Promise<void>;
  /** Nobody waits for answers of this member any more. */
  forget(name: string): void;
  /** What is open stays unanswered, and is asked again when the lead is back. */
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
  /** Another one than it was started with. */
  readonly permissionMode?: Extract<PermissionAnswer, { behavior: "allow" }>["permissionMode"];
}

export interface AnswerByMailOptions {
  readonly link: () => MemberLink;
  readonly lead: () => Agent;
  /** Whoever answers the lead's own questions; undefined when nobody is there. */
  readonly ask: (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer> | undefined;
  readonly colorOf: (name: string) => string | undefined;
  /** `lead`: its model decides on plans; `user`: whoever answers its questions. */
  readonly plansBy: "lead" | "user";
  /** Where a member works. */
  readonly folderOf: (name: string) => string;
  /** Everybody in the team may change this path from now on. */
  readonly allowPath: (path: { path: string; tool: string; askedBy: string }) => Promise<void>;
}

type Request = Extract<MailBody, { kind: "permission_request" }>;
type HostRequest = Extract<MailBody, { kind: "sandbox_permission_request" }>;
type PlanRequest = Extract<MailBody, { kind: "plan_approval_request" }>;

export function createAnswerByMail(options: AnswerByMailOptions): AnswerByMail {
  const plans = new Map<RequestId, OpenPlan>();
  let closing = false;
  const planned = new Map<RequestId, () => void>();
  /** Plans that wait for the user. */
  const shown = new Set<RequestId>();
  const asked = new Map<RequestId, { readonly from: string; readonly stop: AbortController }>();

  const ask = async (mail: Mail, question: PermissionQuestion): Promise<PermissionAnswer | undefined> => {
    const { requestId } = question;
    const stop = new AbortController();
    asked.set(requestId, { from: mail.from, stop });
    // Whoever is asked may take no notice of the signal.
    const stopped = new Promise<never>((_, reject) => {
      stop.signal.addEventListener("abort", () => reject(stop.signal.reason as Error), { once: true });
    });
    stopped.catch(() => undefined); // raced below
    const settle = (settled: { behavior: "allow" | "deny"; by: "user" | "policy" | "interrupt"; message?: string }) =>
      options.lead().record({ type: "permission.settled", requestId, ...settled });
    try {
      const answered = options.ask(question, stop.signal);
      answered?.catch(() => undefined); // looked at below
      await options.lead().record({ type: "permission.asked", ...question });
      if (!answered) {
        const message = "nobody to ask";
        await settle({ behavior: "deny", by: "policy", message });
        return { behavior: "deny", by: "policy", message: "nobody is there to give permissions" };
      }
      const answer = await Promise.race([answered, stopped]);
      await settle({ behavior: answer.behavior, by: "user", ...(answer.message && { message: answer.message }) });
      return answer;
    } catch (error) {
      if (!stop.signal.aborted) throw error;
      if (closing) return new Promise<never>(() => undefined);
      await settle({ behavior: "deny", by: "interrupt", message: `${mail.from} no longer waits for it` });
      return undefined;
    } finally {
      asked.delete(requestId);
    }
  };

  const questionOf = (mail: Mail, body: Omit<Request, "kind" | "digest">): PermissionQuestion => {
    const color = options.colorOf(mail.from);
    return { ...body, member: { team: options.link().team, name: mail.from, ...(color && { color }) } };
  };

  const onPermission = async (
    mail: Mail,
    { requestId, digest, callId, tool, input, question, suggestions, reason, around }: Request,
  ) => {
    const told = { ...(reason !== undefined && { reason }), ...(around && { around }) };
    const body = { requestId, callId, tool, input, question, suggestions, ...told };
    if (asked.has(body.requestId)) return;
    if (digest !== digestOf(body.tool, body.input)) {
      const message = `a question of ${mail.from} is not about what it shows, and was not asked`;
      await options.lead().record({ type: "notice.raised", level: "warning", code: "mail", message });
      return;
    }
    const answer = await ask(mail, questionOf(mail, body));
    if (!answer) return;
    if (answer.behavior === "allow" && answer.team)
      await allowForTeam(mail.from, { tool, input: answer.input ?? input });
    await reply(mail.from, { kind: "permission_response", requestId, digest, answer });
  };

  /** For commands of its in the sandbox, while its session lasts. */
  const onHost = async (mail: Mail, { requestId, host, digest }: HostRequest) => {
    const shown = digest === digestOf("Sandbox", { host });
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
      const message = `the answer to ${to} was not sent: ${whyNotSent(error)}`;
      await options.lead().record({ type: "notice.raised", level: "warning", code: "mail", message });
    }
  };

  const allowForTeam = async (name: string, { tool, input }: Pick<Request, "tool" | "input">) => {
    const path = pathIn(input);
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
    shown.add(requestId);
    const answer = await ask(mail, question);
    if (!shown.delete(requestId)) return answer && tooLate(mail.from);
    if (!answer) return;
    const feedback = answer.message;
    const permissionMode = answer.behavior === "allow" ? answer.permissionMode : undefined;
    const approve = answer.behavior === "allow";
    await replyToPlan({ requestId, from: mail.from, digest }, { approve, feedback, permissionMode });
  };

  /** It was taken back while the answer was being put down. */
  const tooLate = (from: string) => {
    const message = `${from} no longer waited for an answer to its plan when it came, and is not told of it`;
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
    if (!plan) throw new TroupeError("team", `No plan waits for an answer under ${requestId} any more.`);
    plans.delete(requestId);
    await replyToPlan({ requestId, ...plan }, answer);
    planned.get(requestId)?.();
    planned.delete(requestId);
  };

  /** For the lead's model to decide on. */
  const showPlan = async (mail: Mail, { requestId, plan, digest }: PlanRequest, admit: () => Promise<void>) => {
    plans.set(requestId, { from: mail.from, plan, digest });
    const answered = new Promise<void>((resolve) => planned.set(requestId, resolve));
    await admit();
    await answered;
  };

  /** Nobody waits for an answer any more. */
  const drop = (requestId: RequestId) => {
    plans.delete(requestId);
    shown.delete(requestId);
    planned.get(requestId)?.();
    planned.delete(requestId);
    asked.get(requestId)?.stop.abort();
  };

  return {
    plans,
    answerPlan,
    forget(name) {
      for (const [requestId, { from }] of [...plans, ...asked]) if (from === name) drop(requestId);
    },
    close() {
      closing = true;
      for (const { stop } of asked.values()) stop.abort();
    },
    handlers: {
      permission_request: (mail, body) => ({ later: onPermission(mail, body) }),
      sandbox_permission_request: (mail, body) => ({ later: onHost(mail, body) }),
      request_withdrawn: async (mail, { requestId }) => {
        const from = asked.get(requestId)?.from ?? plans.get(requestId)?.from;
        if (from === mail.from) drop(requestId);
      },
      plan_approval_request: (mail, body, admit) => ({
        later: options.plansBy === "user" ? onPlan(mail, body) : showPlan(mail, body, admit),
      }),
    },
  };
}

const hostQuestion = (name: string, { requestId, host }: Pick<HostRequest, "requestId" | "host">) => ({
  requestId,
  callId: requestId as string as PermissionQuestion["callId"],
  tool: "Sandbox",
  input: { host },
  question: `May commands of ${name}, which run in the sandbox, reach ${host}?`,
  suggestions: [],
});
