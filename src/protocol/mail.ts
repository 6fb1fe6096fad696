import * as z from "zod";
import { CallId, MailId, RequestId } from "./ids.ts";
import { PermissionAnswer, PermissionMode, Surroundings } from "./permission.ts";

const kind = <K extends string, S extends z.core.$ZodLooseShape>(name: K, shape: S) =>
  z.object({ kind: z.literal(name), ...shape });

const asked = { requestId: RequestId };

/**
 * What a mail says. `kind` is set by the runtime alone: what a model writes is always `text`, whatever it looks like.
 * A body that is too large for a record is in a file, and `text` is its beginning.
 */
export const MailBody = z.discriminatedUnion("kind", [
  kind("text", { text: z.string(), file: z.string().optional() }),
  /** Its sender has nothing to do: sent when that has become so, never again while it stays so. */
  kind("idle_notification", {
    idleReason: z.enum(["available", "interrupted", "failed"]),
    /** Its last answer, whole or its beginning; `file` then has the rest. What it had said so far if it did not come to one. */
    result: z.string().optional(),
    file: z.string().optional(),
    /** What its log says was done since its last report. */
    evidence: z.string().optional(),
    /** It has agreed to end, and does; this is its last word. */
    isLeaving: z.literal(true).optional(),
    /** Of the last thing it said to somebody other than the lead. */
    summary: z.string().optional(),
    completedTaskId: z.number().int().positive().optional(),
    completedStatus: z.enum(["resolved", "blocked", "failed"]).optional(),
    failureReason: z.string().optional(),
  }),
  kind("permission_request", {
    ...asked,
    callId: CallId,
    tool: z.string(),
    input: z.unknown(),
    question: z.string(),
    suggestions: z.array(z.string()),
    reason: z.string().optional(),
    around: Surroundings.optional(),
    /** Of tool and input: the answer repeats it, and counts for nothing else. */
    digest: z.string(),
  }),
  /** Its sender waits no longer for an answer to what it asked: permission or approval. */
  kind("request_withdrawn", asked),
  kind("permission_response", { ...asked, digest: z.string(), answer: PermissionAnswer }),
  kind("sandbox_permission_request", { ...asked, host: z.string(), digest: z.string() }),
  kind("sandbox_permission_response", { ...asked, digest: z.string(), allow: z.boolean() }),
  kind("shutdown_request", { ...asked, reason: z.string().optional() }),
  /** Stops the turn under way, and nothing else. */
  kind("interrupt_request", {}),
  /** Ends its receiver without asking its model; with `keep` it can be started again from where it was. */
  kind("stop_request", { keep: z.boolean(), reason: z.string().optional() }),
  /** To the lead: brings a member back that has ended. */
  kind("respawn_request", { name: z.string() }),
  /** To the lead: starts a teammate for its sender, with no more rights than that has. */
  kind("spawn_request", {
    ...asked,
    callId: CallId,
    name: z.string(),
    description: z.string(),
    prompt: z.string(),
    /** What its sender works in at this moment. */
    callerMode: PermissionMode,
    planModeRequired: z.boolean(),
    type: z.string().optional(),
    model: z.string().optional(),
    mode: PermissionMode.optional(),
    isolation: z.enum(["worktree", "remote"]).optional(),
    cwd: z.string().optional(),
  }),
  /** `text` is for the model that asked. */
  kind("spawn_response", { ...asked, ok: z.boolean(), text: z.string() }),
  kind("shutdown_approved", asked),
  kind("shutdown_rejected", { ...asked, reason: z.string() }),
  kind("plan_approval_request", { ...asked, plan: z.string(), digest: z.string() }),
  kind("plan_approval_response", {
    ...asked,
    digest: z.string(),
    approve: z.boolean(),
    feedback: z.string().optional(),
    permissionMode: PermissionMode.exclude(["plan", "bubble"]).optional(),
  }),
  kind("task_assignment", {
    taskId: z.number().int().positive(),
    subject: z.string(),
    description: z.string(),
    assignedBy: z.string(),
  }),
  /** `atMost`: no more than this; who works in less, or plans, goes on so. */
  kind("mode_set_request", { mode: PermissionMode.exclude(["bubble"]), atMost: z.boolean().optional() }),
  kind("team_permission_update", { path: z.string(), tool: z.string() }),
]);
export type MailBody = z.infer<typeof MailBody>;
export type MailKind = MailBody["kind"];

/** One message. Names are those of members; `user` is the person, who speaks through the lead's surfaces or the shell. */
export const Mail = z.object({
  id: MailId,
  from: z.string().min(1),
  to: z.string().min(1),
  timestamp: z.iso.datetime(),
  color: z.string().optional(),
  /** Five to ten words, for previews. */
  summary: z.string().optional(),
  /** Whether it starts a turn of an agent that is idle. */
  wakes: z.boolean(),
  /** Stops the turn under way, so that it is heard at once. */
  urgent: z.boolean().optional(),
  /** What it answers or follows. */
  replyTo: MailId.optional(),
  body: MailBody,
  /** Made with its sender's key over everything else here. */
  signature: z.string().optional(),
});
export type Mail = z.infer<typeof Mail>;

/** How far a mail has come: on disk; in its receiver's log; in its receiver's conversation; or it never will be. */
export const MailState = z.enum(["queued", "delivered", "read", "failed"]);
export type MailState = z.infer<typeof MailState>;
