import * as z from "zod";
import { type AgentId, type Member, type RequestId, teamLead } from "../../protocol/index.ts";
import { failedResult, textResult, type ToolResult } from "../../tool/index.ts";

/** What a member may say to the runtime of another one. */
export type ControlMessage =
  | { readonly type: "shutdown_request"; readonly reason?: string | undefined }
  | {
      readonly type: "shutdown_response";
      readonly request_id: string;
      readonly approve: boolean;
      readonly reason?: string | undefined;
    }
  | {
      readonly type: "plan_approval_response";
      readonly request_id: string;
      readonly approve: boolean;
      readonly feedback?: string | undefined;
    };

/** Side by side with text in one list of forms: nested lists confuse some servers of models. */
export const controlInputs = () =>
  [
    z.strictObject({ type: z.literal("shutdown_request"), reason: z.string().max(2_000).optional() }),
    z.strictObject({
      type: z.literal("shutdown_response"),
      request_id: z.string().min(1).max(100),
      approve: z.boolean(),
      reason: z.string().max(2_000).optional(),
    }),
    z.strictObject({
      type: z.literal("plan_approval_response"),
      request_id: z.string().min(1).max(100),
      approve: z.boolean(),
      feedback: z.string().max(20_000).optional(),
    }),
  ] as const;

/** A request that waits for an answer of this member. */
export interface OpenRequest {
  readonly requestId: RequestId;
  /** Who asked. */
  readonly from: string;
}

export interface ControlPorts {
  /** The agent that is the member. */
  self(): AgentId;
  memberName(): string;
  isLead(): boolean;
  /** Everybody who is or was in the team, itself among them. */
  members(): readonly Member[];
  /** What waits for an answer of this member now. */
  readonly open: { shutdown(): readonly OpenRequest[]; plan(): readonly OpenRequest[] };
  /** Who decides on plans; where nothing is said, the lead's model. */
  readonly plansBy?: "lead" | "user" | undefined;
  /** Asks a member to end. */
  requestShutdown(member: Member, reason?: string): Promise<RequestId>;
  answerShutdown(answer: { requestId: RequestId; approve: boolean; reason?: string | undefined }): Promise<void>;
  answerPlan(answer: { requestId: RequestId; approve: boolean; feedback?: string | undefined }): Promise<void>;
}

/** Checks a request or an answer against who may send it and what it answers, and has the runtime send it. */
export async function handleControlMessage(
  message: ControlMessage,
  to: Member,
  ports: ControlPorts,
): Promise<ToolResult> {
  switch (message.type) {
    case "shutdown_request":
      return requestEnd(message, to, ports);
    case "shutdown_response":
      return answerShutdown(message, to, ports);
    case "plan_approval_response":
      return answerPlan(message, to, ports);
  }
}

async function requestEnd(
  { reason }: Extract<ControlMessage, { type: "shutdown_request" }>,
  to: Member,
  ports: ControlPorts,
): Promise<ToolResult> {
  if (!ports.isLead())
    return failedResult(`Only the lead asks members to end. Tell ${teamLead} why ${to.name} should.`);
  const requestId = await ports.requestShutdown(to, reason);
  return textResult(
    `${to.name} is asked to end (${requestId}). It answers, or is stopped when it takes too long; you are told either way. It is gone only then.`,
  );
}

async function answerShutdown(
  { request_id: id, approve, reason }: Extract<ControlMessage, { type: "shutdown_response" }>,
  to: Member,
  ports: ControlPorts,
): Promise<ToolResult> {
  const request = ports.open.shutdown().find(({ requestId }) => requestId === id);
  if (!request) return failedResult(notOpenMessage("request to end", id, ports.open.shutdown()));
  if (to.name !== request.from)
    return failedResult(`${request.from} has asked that: send the answer to ${request.from}.`);
  if (!approve && !reason?.trim()) {
    return failedResult("Say in reason why you do not want to end: without one it is not sent.");
  }
  await ports.answerShutdown({ requestId: request.requestId, approve, reason });
  return textResult(
    approve
      ? "You have agreed to end. Do nothing more: this is your last turn."
      : `${request.from} is told that you do not want to end yet, and why. Go on.`,
  );
}

async function answerPlan(
  { request_id: id, approve, feedback }: Extract<ControlMessage, { type: "plan_approval_response" }>,
  to: Member,
  ports: ControlPorts,
): Promise<ToolResult> {
  if (!ports.isLead())
    return failedResult("Only the lead approves plans. Yours waits for its answer; go on when it is there.");
  if (ports.plansBy === "user")
    return failedResult(
      `The user decides on plans here, and nothing was sent: ${to.name}'s is shown to the user, and ${to.name} goes on with what the user answers. You cannot approve it or turn it down.`,
    );
  const request = ports.open.plan().find(({ requestId }) => requestId === id);
  if (!request) return failedResult(notOpenMessage("plan", id, ports.open.plan()));
  if (to.name !== request.from)
    return failedResult(`That plan is ${request.from}'s: send the answer to ${request.from}.`);
  if (!approve && !feedback?.trim()) {
    return failedResult("Say in feedback what is wrong with the plan: without it nobody can make a better one.");
  }
  await ports.answerPlan({ requestId: request.requestId, approve, feedback });
  return textResult(
    approve
      ? `${request.from}'s plan is approved, and ${request.from} begins.`
      : `${request.from}'s plan is not approved; ${request.from} plans again with your feedback.`,
  );
}

function notOpenMessage(what: string, id: string, open: readonly OpenRequest[]): string {
  const list = open.map(({ requestId, from }) => `${requestId} (${from})`).join(", ");
  return `There is no open ${what} with the id ${JSON.stringify(id)}, and nothing was sent. ${
    open.length === 0 ? "None is open now: it was answered, or is over." : `Open: ${list}.`
  }`;
}
