import { createHash, randomBytes } from "node:crypto";
import * as z from "zod";
import { digestOfCall } from "../../platform/index.ts";
import { CallId, type Mail, type MailBody, type MailKind, parseJson, type RequestId } from "../../protocol/index.ts";
import type { ClaudeRequests } from "./claude-requests.ts";

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
      const { request_id: theirs, tool_name: tool, tool_use_id: toolUseId, input, description } = body;
      const digest = digestOfCall(tool, input);
      const { id } = requests.keep({ id: requests.idFor(theirs), theirs, digest, tool, toolUseId, input });
      const callId = CallId.parse(toolUseId);
      const question = description ?? `May I use ${tool}?`;
      return { kind: body.type, requestId: id, callId, tool, input, question, suggestions: [], digest };
    }
    case "permission_response":
      return responseOf(body, requests);
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
        agent_id: `${from}@${context.team}`,
        tool_name: tool,
        tool_use_id: toolUseId,
        description: body.question,
        input,
        permission_suggestions: [],
      });
    }
    case "permission_response": {
      const asked = requests.byOurId(body.requestId);
      if (asked?.tool === undefined || body.answer.behavior === "deny") return denied(body, asked?.tool);
      const { toolUseId: tool_use_id, tool: tool_name, input } = asked;
      const updated_input = body.answer.input ?? input;
      const input_digest = createHash("sha256").update(JSON.stringify(updated_input)).digest("hex");
      return json(body.kind, {
        request_id: asked.theirs,
        subtype: "success",
        tool_use_id,
        approved_request: { tool_use_id, tool_name, input_digest },
        response: { updated_input },
      });
    }
    // Claude Code has no known format for this, so it is sent as text.
    case "shutdown_rejected":
      return `${from} does not end now: ${body.reason}`;
    default:
      return undefined;
  }
}

/** Claude Code has no known format for a refusal, so it is sent as text. */
function denied({ answer }: Extract<MailBody, { kind: "permission_response" }>, tool: string | undefined): string {
  const why = answer.message === undefined ? "" : ` ${answer.message}`;
  return `You may not make the call${tool === undefined ? "" : ` of ${tool}`} that you asked about.${why}`;
}

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
    tool_use_id: z.string().min(1).max(200),
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
]);
type Typed = z.infer<typeof Typed>;

const isTyped = (said: string): boolean => z.looseObject({ type: z.string() }).safeParse(parseJson(said)).success;

const reasonOf = (reason: string | undefined) =>
  reason === "interrupted" || reason === "failed" ? reason : ("available" as const);
