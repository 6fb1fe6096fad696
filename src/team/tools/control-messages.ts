import * as z from "zod";
import { type LeftWorktree, planAnswerCall, shutdownAnswerCall, unfinishedWorkNote } from "../../agent/index.ts";
import { type AgentId, type Member, type RequestId, teamLead, TroupeError } from "../../protocol/index.ts";
import { failedResult, textResult, type ToolResult } from "../../tool/index.ts";

/** A message from a member to the runtime of another member. */
export type ControlMessage =
  | { readonly type: "shutdown_request"; readonly reason?: string | undefined }
  | {
      readonly type: "shutdown_response";
      /** Can be left out if one request is open. */
      readonly request_id?: string | undefined;
      readonly approve: boolean;
      readonly reason?: string | undefined;
    }
  | {
      readonly type: "plan_approval_response";
      readonly request_id: string;
      readonly approve: boolean;
      readonly feedback?: string | undefined;
    };

/** The role of the member that uses the tool: each role has its own requests and answers. */
export type MessageRole = "lead" | "teammate";

/** Models also write "true" and "false". */
const yesOrNo = () =>
  z.preprocess((given) => (given === "true" ? true : given === "false" ? false : given), z.boolean());

const controlSchemas = {
  shutdown_request: () =>
    z.strictObject({ type: z.literal("shutdown_request"), reason: z.string().max(2_000).optional() }),
  shutdown_response: () =>
    z.strictObject({
      type: z.literal("shutdown_response"),
      request_id: z.string().max(100).optional(),
      approve: yesOrNo(),
      reason: z.string().max(2_000).optional(),
    }),
  plan_approval_response: () =>
    z.strictObject({
      type: z.literal("plan_approval_response"),
      request_id: z.string().min(1).max(100),
      approve: yesOrNo(),
      feedback: z.string().max(20_000).optional(),
    }),
};

/** Alternatives next to text in one union: nested unions confuse some model servers. */
export const controlInputs = (role: MessageRole) =>
  role === "lead"
    ? ([controlSchemas.shutdown_request(), controlSchemas.plan_approval_response()] as const)
    : ([controlSchemas.shutdown_response()] as const);

/**
 * The object that a text stands for. Models sometimes write a request or an answer as JSON text, or only its type.
 * Undefined for any other text, also for JSON of another type.
 */
export function objectInText(text: string): { readonly type: string } | undefined {
  const named = TypedObject.safeParse({ type: text.trim().replace(/^(["'`])(.*)\1$/, "$2") });
  if (named.success) return named.data;
  if (!text.trimStart().startsWith("{")) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const parsed = TypedObject.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

const TypedObject = z.looseObject({
  type: z.enum(["shutdown_request", "shutdown_response", "plan_approval_response", "receipt_request"]),
});

/** Says what is wrong with a message that is neither text nor a request or answer of this role. */
export function messageProblem(message: unknown, role: MessageRole): string {
  const type = typeof message === "object" && message !== null && "type" in message ? message.type : undefined;
  if (role === "teammate" && type === "shutdown_request")
    return `Only the lead asks members to end. Tell ${teamLead} in text why a member should end.`;
  if (role === "teammate" && type === "plan_approval_response")
    return "Only the lead approves plans. Your own plan waits for the lead's answer: continue when it arrives.";
  if (typeof type === "string" && type.startsWith("permission"))
    return "The user answers permission requests. No message of yours can.";
  const schema = type === "shutdown_response" || type === "plan_approval_response" ? controlSchemas[type]() : undefined;
  const parsed = schema?.safeParse(message);
  if (schema && parsed?.success === false) {
    const fields = Object.keys(schema.shape);
    return parsed.error.issues.map((issue) => fieldProblem(issue, { message: message as object, fields })).join("; ");
  }
  return role === "lead"
    ? "must be text, or an object with the type shutdown_request (reason), plan_approval_response (request_id, approve, feedback) or receipt_request (message_id)"
    : "must be text, or an object with the type shutdown_response (request_id, approve, reason) or receipt_request (message_id)";
}

function fieldProblem(
  issue: z.core.$ZodIssue,
  { message, fields }: { readonly message: object; readonly fields: readonly string[] },
): string {
  if (issue.code === "unrecognized_keys")
    return `message.${issue.keys.join(", message.")}: no such field (${fields.join(", ")})`;
  const [field = ""] = issue.path;
  return `message.${issue.path.join(".")}: ${field in message ? issue.message.replace(/^Invalid input: /, "") : "missing"}`;
}

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
  /** False if the member has never presented a plan to this one. Absent if that is not known. */
  readonly hasPresentedPlan?: ((member: Member) => Promise<boolean>) | undefined;
  /** Decides on plans. Default: the lead's model. */
  readonly plansBy?: "lead" | "user" | undefined;
  /** The work of this member that has not landed, if it works now and there is any. Absent if that is not known. */
  readonly unfinishedWork?: ((member: Member) => Promise<LeftWorktree | undefined>) | undefined;
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

type ShutdownRequest = Extract<ControlMessage, { type: "shutdown_request" }>;

async function requestEnd({ reason }: ShutdownRequest, to: Member, ports: ControlPorts): Promise<ToolResult> {
  const work = await ports.unfinishedWork?.(to);
  const requestId = await ports.requestShutdown(to, reason);
  const warning = work ? ` ${unfinishedWorkNote(to.name, work)}` : "";
  return textResult(
    `${to.name} is asked to end (${requestId}). It answers, or is stopped if it takes too long. You are notified either way. Until then it still runs: give the user the whole answer after it has ended.${warning}`,
  );
}

/** Asks all these members to end. A member that cannot be asked does not keep the others from it. */
export async function requestEnds(
  { reason }: ShutdownRequest,
  members: readonly Member[],
  ports: ControlPorts,
): Promise<ToolResult> {
  const asked: string[] = [];
  const notes: string[] = [];
  for (const member of members) {
    try {
      const work = await ports.unfinishedWork?.(member);
      await ports.requestShutdown(member, reason);
      asked.push(member.name);
      if (work) notes.push(unfinishedWorkNote(member.name, work));
    } catch (error) {
      if (!TroupeError.is(error)) throw error;
      notes.push(`${member.name} was not asked: ${error.message}`);
    }
  }
  if (asked.length === 0) return failedResult(["No member was asked to end.", ...notes].join("\n"));
  const head = `Asked to end: ${asked.join(", ")}. Each answers, or is stopped if it takes too long. You are notified when each has ended: give the user the whole answer after that.`;
  return textResult([head, ...notes].join("\n"));
}

async function answerShutdown(
  { request_id: id, approve, reason }: Extract<ControlMessage, { type: "shutdown_response" }>,
  to: Member,
  ports: ControlPorts,
): Promise<ToolResult> {
  const open = ports.open.shutdown();
  const request = id ? open.find(({ requestId }) => requestId === id) : open.length === 1 ? open[0] : undefined;
  if (!request && open.length === 0) return failedResult(noRequestToEnd);
  if (!request) return failedResult(notOpenMessage("request to end", id ?? "", ports));
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
  if (ports.plansBy === "user")
    return failedResult(
      `Nothing was sent: the user decides on plans here. The plan of ${to.name} is shown to the user, and ${to.name} continues with the user's answer. You cannot approve or reject it.`,
    );
  const request = ports.open.plan().find(({ requestId }) => requestId === id);
  if (!request && (await ports.hasPresentedPlan?.(to)) === false) return failedResult(noPlanMessage(to, ports));
  if (!request) return failedResult(notOpenMessage("plan", id, ports));
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

const noRequestToEnd = `No request to end is open, and nothing was sent. If ${teamLead} asked in words only, end your turn: it must send a shutdown_request.`;

const noPlanMessage = ({ name, planModeRequired }: Member, ports: ControlPorts) =>
  `${name} has not presented a plan yet, so there is nothing to approve. Nothing was sent. ${
    planModeRequired
      ? `Tell ${name} in text to call ExitPlanMode: its plan then reaches you with a request_id.`
      : `${name} needs no approval: tell it in text what to do.`
  }${["", ...openCalls(ports)].join("\n")}`;

/** Models make up ids, for example if a text asks them to end. The answer is the list of the real requests. */
function notOpenMessage(what: string, id: string, ports: ControlPorts): string {
  const calls = openCalls(ports);
  const next =
    calls.length > 0
      ? calls.join("\n")
      : `No request waits for your answer now. A request reaches you as its own message with an id; text alone is not one.`;
  return `There is no open ${what} with the id ${JSON.stringify(id)}. Nothing was sent. ${next}`;
}

/** All requests that wait for this member, each with the exact call that approves it. */
function openCalls({ open }: ControlPorts): readonly string[] {
  const calls = [
    ...open.plan().map((plan) => `- the plan of ${plan.from}: ${planAnswerCall(plan)}`),
    ...open.shutdown().map((request) => `- the request of ${request.from} to end: ${shutdownAnswerCall(request)}`),
  ];
  if (calls.length === 0) return [];
  const no = open.plan().length > 0 ? "feedback" : "reason";
  return ["These wait for your answer. To approve:", ...calls, `To refuse: the same with "approve":false and "${no}".`];
}
