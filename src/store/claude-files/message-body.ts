import { createHash, randomBytes } from "node:crypto";
import * as z from "zod";
import { canonicalJson, digestOfCall } from "../../platform/index.ts";
import { CallId, type Mail, type MailBody, type MailKind, parseJson, type RequestId } from "../../protocol/index.ts";
import type { ClaudeRequests, Request } from "./claude-requests.ts";

/** Context for bodies that carry sender, team or time. */
export interface BodyContext {
  readonly requests: ClaudeRequests;
  readonly team: string;
  readonly now: () => number;
}

/**
 * Parses the text of a message. JSON with a known `type` becomes a body of that kind. Anything else is plain text,
 * returned as null. No other code inspects such a text.
 */
export function parseBody(text: string, { requests }: BodyContext): MailBody | null {
  if (!text.startsWith("{")) return null;
  const typed = Typed.safeParse(parseJson(text));
  if (!typed.success) return null;
  const body = typed.data;
  switch (body.type) {
    case "idle_notification":
      return { kind: body.type, idleReason: reasonOf(body.idleReason), ...(body.result && { result: body.result }) };
    case "shutdown_request": {
      const { id } = requests.keep({ id: requests.idFor(body.requestId), theirs: body.requestId });
      return { kind: body.type, requestId: id, ...(body.reason && { reason: body.reason }) };
    }
    case "shutdown_approved":
      return { kind: body.type, requestId: requests.idFor(body.requestId) };
    case "shutdown_rejected":
      return { kind: body.type, requestId: requests.idFor(body.requestId), reason: body.reason ?? "no reason given" };
    case "task_assignment": {
      const { type: kind, taskId, subject, description, assignedBy } = body;
      return { kind, taskId, subject, description, assignedBy };
    }
    case "permission_request": {
      const { request_id: theirs, tool_name: tool, tool_use_id: toolUseId = theirs, input, description } = body;
      const digest = digestOfCall(tool, input);
      const { id } = requests.keep({ id: requests.idFor(theirs), theirs, digest, tool, toolUseId, input });
      const callId = CallId.parse(toolUseId);
      const question = description ?? `May I use ${tool}?`;
      return { kind: body.type, requestId: id, callId, tool, input, question, suggestions: [], digest };
    }
    case "permission_response":
      return responseOf(body, requests);
    case "plan_approval_request": {
      const { requestId: theirs, planContent: plan } = body;
      const digest = planDigestOf(plan);
      const { id } = requests.keep({ id: requests.idFor(theirs), theirs, digest, planDigest: digest });
      return { kind: body.type, requestId: id, plan, digest };
    }
    case "plan_approval_response":
      return planResponseOf(body, requests);
  }
}

/** The answer must match the request in every field it names; otherwise it does not count. */
function responseOf(body: Extract<Typed, { type: "permission_response" }>, requests: ClaudeRequests): MailBody {
  const asked = requests.byTheirId(body.request_id);
  const { approved_request: approved, tool_use_id: of } = body;
  const isSame =
    asked !== undefined &&
    (of === undefined || of === asked.toolUseId) &&
    (approved?.tool_use_id === undefined || approved.tool_use_id === asked.toolUseId) &&
    (approved?.tool_name === undefined || approved.tool_name === asked.tool);
  const head = {
    kind: body.type,
    requestId: requests.idFor(body.request_id),
    digest: isSame ? (asked.digest ?? "") : "another call",
  };
  if (body.subtype !== "success")
    return { ...head, answer: { behavior: "deny", by: "lead", message: body.error ?? "The lead refused." } };
  const input = body.response?.updated_input;
  const isChanged =
    asked?.tool !== undefined && input !== undefined && digestOfCall(asked.tool, input) !== asked.digest;
  return { ...head, answer: { behavior: "allow", scope: "once", ...(isChanged && { input }) } };
}

/** The answer counts only for the plan that it names. A mode that asks less than `acceptEdits` is not taken from a file. */
function planResponseOf(body: Extract<Typed, { type: "plan_approval_response" }>, requests: ClaudeRequests): MailBody {
  const { requestId: theirs, approved: approve, feedback, permissionMode, planDigest } = body;
  const asked = requests.byTheirId(theirs);
  const isSame = asked !== undefined && (planDigest === undefined || planDigest === asked.planDigest);
  return {
    kind: body.type,
    requestId: requests.idFor(theirs),
    digest: isSame ? (asked.digest ?? "") : "another plan",
    approve,
    ...(feedback !== undefined && { feedback }),
    ...(permissionMode !== undefined && { permissionMode }),
  };
}

/** Returns the `text` in exactly the formats that Claude Code was seen to use, or undefined if there is none. */
export function formatBody(mail: Mail, context: BodyContext): string | undefined {
  const { body, from, to, timestamp } = mail;
  const { requests } = context;
  const theirs = (id: RequestId) => requests.byOurId(id)?.theirs ?? id;
  const json = (type: MailKind, fields: Readonly<Record<string, unknown>>) => JSON.stringify({ type, ...fields });
  switch (body.kind) {
    case "text":
      // Text from a model stays text, whatever it looks like.
      return isTyped(body.text) ? `${from} wrote: ${body.text}` : body.text;
    case "idle_notification": {
      const failed =
        body.idleReason === "available" ? [] : [`${body.idleReason}: ${body.failureReason ?? "no further details"}`];
      const result = [body.result, ...failed, body.evidence].filter(Boolean).join("\n\n");
      // Claude Code was never seen to use another reason, so the real reason is part of the text.
      return json(body.kind, { from, timestamp, idleReason: "available", ...(result !== "" && { result }) });
    }
    case "shutdown_request": {
      const theirId = `shutdown-${context.now()}@${to}`;
      const asked = requests.byOurId(body.requestId) ?? requests.keep({ id: body.requestId, theirs: theirId });
      return json(body.kind, { requestId: asked.theirs, from, reason: body.reason ?? "", timestamp });
    }
    case "shutdown_approved":
      return json(body.kind, { requestId: theirs(body.requestId), from, timestamp });
    case "task_assignment": {
      const { taskId, subject, assignedBy, blockedBy, history } = body;
      const blockers = blockedBy?.map((id) => `#${id}`).join(", ");
      const notes = [history, blockers && `It is blocked by ${blockers}: begin when that is done.`].filter(Boolean);
      const description = [body.description, ...notes].join("\n\n");
      return json(body.kind, { taskId: String(taskId), subject, description, assignedBy, timestamp });
    }
    case "permission_request": {
      const { requestId: id, callId: toolUseId, tool, input, digest } = body;
      const name = `perm-${context.now()}-${randomBytes(6).toString("base64url").toLowerCase().replace(/[-_]/g, "0").slice(0, 7)}`;
      const asked = requests.byOurId(id) ?? requests.keep({ id, theirs: name, digest, tool, toolUseId, input });
      return json(body.kind, {
        request_id: asked.theirs,
        // The name as in `from`: Claude Code's lead drops a request with any other id.
        agent_id: from,
        tool_name: tool,
        tool_use_id: toolUseId,
        description: body.question,
        input,
        permission_suggestions: [],
      });
    }
    case "permission_response":
      return permissionResponse(body, requests.byOurId(body.requestId));
    case "plan_approval_request": {
      const { requestId: id, plan, digest } = body;
      const theirId = `plan_approval-${context.now()}@${from}@${context.team}`;
      const known = requests.byOurId(id);
      const asked = known ?? requests.keep({ id, theirs: theirId, digest, planDigest: planDigestOf(plan) });
      const planFilePath = `plans/${from}.md`;
      return json(body.kind, { from, timestamp, planFilePath, planContent: plan, requestId: asked.theirs });
    }
    case "plan_approval_response": {
      const asked = requests.byOurId(body.requestId);
      const { approve: approved, permissionMode = "default" } = body;
      return json(body.kind, {
        requestId: asked?.theirs ?? body.requestId,
        approved,
        timestamp,
        ...(approved && { permissionMode }),
        ...(approved && asked?.planDigest !== undefined && { planDigest: asked.planDigest }),
        ...(body.feedback !== undefined && { feedback: body.feedback }),
      });
    }
    case "shutdown_rejected":
      return json(body.kind, { requestId: theirs(body.requestId), from, reason: body.reason, timestamp });
    default:
      return undefined;
  }
}

/** Its digest is over the input that was asked about, also where the answer changes the input. */
function permissionResponse(
  { requestId: id, answer }: Extract<MailBody, { kind: "permission_response" }>,
  asked: Request | undefined,
): string {
  const { tool: tool_name, toolUseId: tool_use_id, input } = asked ?? {};
  const isBound = tool_name !== undefined && tool_use_id !== undefined;
  const bound = isBound && { tool_use_id, tool_name, input_digest: inputDigestOf(tool_name, input) };
  const head = { type: "permission_response", request_id: asked?.theirs ?? id };
  const of = { ...(tool_use_id !== undefined && { tool_use_id }), ...(bound && { approved_request: bound }) };
  return JSON.stringify(
    answer.behavior === "allow"
      ? { ...head, subtype: "success", ...of, response: { updated_input: answer.input ?? input } }
      : { ...head, subtype: "error", ...of, error: answer.message ?? "Permission denied" },
  );
}

/** Binds an answer to a call in Claude Code's form. */
export const inputDigestOf = (tool: string, input: unknown): string => sha256(`${tool}\0${canonicalJson(input)}`);

const planDigestOf = (plan: string): string => sha256(plan);

const sha256 = (of: string): string => createHash("sha256").update(of).digest("hex");

const text = z.string().optional().catch(undefined);
const requestId = z.string().min(1).max(300);

/** Lenient: unknown fields are ignored, and unneeded fields may be missing. */
const Typed = z.discriminatedUnion("type", [
  z.object({ type: z.literal("idle_notification"), idleReason: text, result: text }),
  z.object({ type: z.literal("shutdown_request"), requestId, reason: text }),
  z.object({ type: z.literal("shutdown_approved"), requestId }),
  z.object({ type: z.literal("shutdown_rejected"), requestId, reason: text }),
  z.object({
    type: z.literal("task_assignment"),
    taskId: z.coerce.number().int().positive(),
    subject: z.string(),
    description: z.string().catch(""),
    assignedBy: z.string().catch("team-lead"),
  }),
  z.object({
    type: z.literal("permission_request"),
    request_id: requestId,
    tool_name: z.string().min(1),
    /** Older versions leave it out. */
    tool_use_id: z.string().min(1).max(200).optional(),
    description: text,
    input: z.unknown(),
  }),
  z.object({
    type: z.literal("permission_response"),
    request_id: requestId,
    subtype: z.string(),
    tool_use_id: text,
    error: text,
    approved_request: z.object({ tool_use_id: text, tool_name: text }).optional().catch(undefined),
    response: z.object({ updated_input: z.unknown() }).optional().catch(undefined),
  }),
  z.object({ type: z.literal("plan_approval_request"), requestId, planContent: z.string() }),
  z.object({
    type: z.literal("plan_approval_response"),
    requestId,
    approved: z.boolean(),
    feedback: text,
    permissionMode: z.enum(["default", "acceptEdits"]).optional().catch(undefined),
    planDigest: text,
  }),
]);
type Typed = z.infer<typeof Typed>;

const isTyped = (said: string): boolean => z.looseObject({ type: z.string() }).safeParse(parseJson(said)).success;

const reasonOf = (reason: string | undefined) =>
  reason === "interrupted" || reason === "failed" ? reason : ("available" as const);
