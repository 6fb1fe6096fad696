import * as z from "zod";
import { type AgentId, type Member, type RequestId, teamLead } from "../../protocol/index.ts";
import { failedResult, textResult, type ToolResult } from "../../tool/index.ts";

/** A message from a member to the runtime of another member. */
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

/** Alternatives next to text in one union: nested unions confuse some model servers. */
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
  /** The member that asked. */
  readonly from: string;
}

export interface ControlPorts {
  /** The id of the member's agent. */
  self(): AgentId;
  memberName(): string;
  isLead(): boolean;
  /** All current and former members, including this one. */
  members(): readonly Member[];
  /** The requests that wait for an answer of this member. */
  readonly open: { shutdown(): readonly OpenRequest[]; plan(): readonly OpenRequest[] };
  /** Decides on plans. Default: the lead's model. */
  readonly plansBy?: "lead" | "user" | undefined;
  requestShutdown(member: Member, reason?: string): Promise<RequestId>;
  answerShutdown(answer: { requestId: RequestId; approve: boolean; reason?: string | undefined }): Promise<void>;
  answerPlan(answer: { requestId: RequestId; approve: boolean; feedback?: string | undefined }): Promise<void>;
}

/**
 * Checks that the member may send this request or answer, and that an answer has an open request. Then the runtime
 * sends it.
 */
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
    return failedResult(`Only the lead asks members to end. Tell ${teamLead} why ${to.name} should end.`);
  const requestId = await ports.requestShutdown(to, reason);
  return textResult(
    `${to.name} is asked to end (${requestId}). It answers, or is stopped if it takes too long. You are notified either way. Until then it still runs.`,
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
    return failedResult(`${request.from} sent this request: send the answer to ${request.from}.`);
  if (!approve && !reason?.trim()) {
    return failedResult("Nothing was sent. Say in reason why you do not want to end.");
  }
  await ports.answerShutdown({ requestId: request.requestId, approve, reason });
  return textResult(
    approve
      ? "You have agreed to end. Do nothing more: this is your last turn."
      : `${request.from} now knows that you do not want to end yet, and why. Continue.`,
  );
}

async function answerPlan(
  { request_id: id, approve, feedback }: Extract<ControlMessage, { type: "plan_approval_response" }>,
  to: Member,
  ports: ControlPorts,
): Promise<ToolResult> {
  if (!ports.isLead())
    return failedResult(
      "Only the lead approves plans. Your own plan waits for the lead's answer: continue when it arrives.",
    );
  if (ports.plansBy === "user")
    return failedResult(
      `Nothing was sent: the user decides on plans here. The plan of ${to.name} is shown to the user, and ${to.name} continues with the user's answer. You cannot approve or reject it.`,
    );
  const request = ports.open.plan().find(({ requestId }) => requestId === id);
  if (!request) return failedResult(notOpenMessage("plan", id, ports.open.plan()));
  if (to.name !== request.from)
    return failedResult(`That plan is ${request.from}'s: send the answer to ${request.from}.`);
  if (!approve && !feedback?.trim()) {
    return failedResult(
      "Nothing was sent. Say in feedback what is wrong with the plan, so that its author can make a better one.",
    );
  }
  await ports.answerPlan({ requestId: request.requestId, approve, feedback });
  return textResult(
    approve
      ? `${request.from}'s plan is approved, and ${request.from} begins.`
      : `${request.from}'s plan is not approved. ${request.from} plans again with your feedback.`,
  );
}

function notOpenMessage(what: string, id: string, open: readonly OpenRequest[]): string {
  const list = open.map(({ requestId, from }) => `${requestId} (${from})`).join(", ");
  return `There is no open ${what} with the id ${JSON.stringify(id)}. Nothing was sent. ${
    open.length === 0 ? "None is open now: it was answered, or is over." : `Open: ${list}.`
  }`;
}
