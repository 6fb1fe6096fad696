import type { PermissionQuestion } from "../../agent/index.ts";
import {
  type Mail,
  type MailBody,
  type PermissionAnswer,
  type PromptId,
  type RequestId,
  TroupeError,
} from "../../protocol/index.ts";
import { promptIdOfMail } from "../mailbox/inbox-consumer.ts";

/** Plans of members that wait for an answer, of the lead's model or of the user. */
export interface PlanResponder {
  /** Plans that wait for the lead's model, by request id. */
  readonly plans: ReadonlyMap<RequestId, OpenPlan>;
  /** Resolves when the plan is answered, or when its member no longer waits for the answer. */
  respond(mail: Mail, request: PlanRequest, admit: () => Promise<void>): Promise<void>;
  /** Sends the answer of the lead's model. The first one counts. Rejects with a TroupeError if no plan waits for it. */
  answer(requestId: RequestId, answer: PlanAnswer): Promise<void>;
  /** The member no longer waits for an answer to this plan. */
  drop(requestId: RequestId): void;
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

export type PlanRequest = Extract<MailBody, { kind: "plan_approval_request" }>;

export interface PlanResponderPorts {
  /** `lead`: the lead's model decides on plans. `user`: the user does. */
  readonly plansDecidedBy: "lead" | "user";
  readonly askUser: (mail: Mail, question: Omit<PermissionQuestion, "member">) => Promise<PermissionAnswer | undefined>;
  /** Called when a plan waits for the lead's model, in this prompt, and when it no longer does. */
  readonly onOpened?: ((requestId: RequestId, plan: { from: string; promptId: PromptId }) => void) | undefined;
  readonly onClosed?: ((requestId: RequestId) => void) | undefined;
  readonly send: (to: string, answer: MailBody) => Promise<void>;
  readonly warn: (message: string) => Promise<unknown>;
}

export function createPlanResponder(ports: PlanResponderPorts): PlanResponder {
  const plans = new Map<RequestId, OpenPlan>();
  const closers = new Map<RequestId, () => void>();
  /** Plans that wait for the user. */
  const shown = new Set<RequestId>();

  /** Shows the plan to the lead's model, which decides. */
  const showToModel = async (mail: Mail, { requestId, plan, digest }: PlanRequest, admit: () => Promise<void>) => {
    plans.set(requestId, { from: mail.from, plan, digest });
    const closed = new Promise<void>((resolve) => closers.set(requestId, resolve));
    ports.onOpened?.(requestId, { from: mail.from, promptId: promptIdOfMail(mail.id) });
    await admit();
    await closed;
  };

  const showToUser = async (mail: Mail, request: PlanRequest) => {
    const { requestId, plan } = request;
    shown.add(requestId);
    const answer = await ports.askUser(mail, {
      requestId,
      callId: requestId as string as PermissionQuestion["callId"],
      tool: "ExitPlanMode",
      input: { plan },
      question: `May ${mail.from} leave plan mode and carry out this plan?\n\n${plan}`,
      suggestions: [],
    });
    if (!shown.delete(requestId)) {
      // The member withdrew the plan while the user answered.
      if (answer) await ports.warn(`${mail.from} withdrew its plan before the answer came. The answer was not sent.`);
      return;
    }
    if (!answer) return;
    const approve = answer.behavior === "allow";
    const permissionMode = answer.behavior === "allow" ? answer.permissionMode : undefined;
    await ports.send(
      mail.from,
      planResponse({ ...request, by: "user" }, { approve, feedback: answer.message, permissionMode }),
    );
  };

  const close = (requestId: RequestId) => {
    plans.delete(requestId);
    closers.get(requestId)?.();
    closers.delete(requestId);
    ports.onClosed?.(requestId);
  };

  return {
    plans,
    respond: (mail, request, admit) =>
      ports.plansDecidedBy === "user" ? showToUser(mail, request) : showToModel(mail, request, admit),
    async answer(requestId, answer) {
      const plan = plans.get(requestId);
      if (!plan) throw new TroupeError("team", `No plan with the request id ${requestId} waits for an answer.`);
      plans.delete(requestId);
      await ports.send(plan.from, planResponse({ requestId, digest: plan.digest, by: "lead" }, answer));
      close(requestId);
    },
    drop(requestId) {
      if (plans.has(requestId)) close(requestId);
      shown.delete(requestId);
    },
  };
}

const planResponse = (
  { requestId, digest, by }: Pick<PlanRequest, "requestId" | "digest"> & { readonly by: "lead" | "user" },
  { approve, feedback, permissionMode }: PlanAnswer,
): MailBody => ({
  kind: "plan_approval_response",
  requestId,
  digest,
  approve,
  by,
  ...(feedback !== undefined && { feedback }),
  ...(permissionMode && { permissionMode }),
});
