import * as z from "zod";
import { CallId, MailId, RequestId } from "./ids.ts";
import { PermissionAnswer, PermissionMode, permissionQuestion } from "./permission.ts";

const kind = <K extends string, S extends z.core.$ZodLooseShape>(name: K, shape: S) =>
  z.object({ kind: z.literal(name), ...shape });

const asked = { requestId: RequestId };

/**
 * The content of a mail. Only the runtime sets `kind`: text from a model is always `text`, whatever it looks like. A
 * body too large for a record is in a file, and `text` is its beginning.
 */
export const MailBody = z.discriminatedUnion("kind", [
  kind("text", { text: z.string(), file: z.string().optional() }),
  /** The sender became idle. Sent once, not repeated while it stays idle. */
  kind("idle_notification", {
    idleReason: z.enum(["available", "interrupted", "failed"]),
    /** Its last answer, whole or only the beginning if `file` has the rest. If it did not finish, the text so far. */
    result: z.string().optional(),
    file: z.string().optional(),
    /** The activity in its log since its last report. */
    evidence: z.string().optional(),
    /** It called no tool since its last report. */
    didNothing: z.literal(true).optional(),
    /** It is in plan mode, and no plan of it waits for an answer. */
    lacksPlan: z.literal(true).optional(),
    /** It has agreed to end and ends now. This is its last mail. */
    isLeaving: z.literal(true).optional(),
    /** A summary of its last mail to a member other than the lead. */
    summary: z.string().optional(),
    completedTaskId: z.number().int().positive().optional(),
    completedStatus: z.enum(["resolved", "blocked", "failed"]).optional(),
    /** The checks of the completed task passed, were not run, or do not exist. */
    completedChecks: z.enum(["passed", "not_run", "none"]).optional(),
    /** The task that it has in progress although it is idle. */
    openTaskId: z.number().int().positive().optional(),
    failureReason: z.string().optional(),
    /** The background jobs that it waits for: it continues when one ends. */
    awaitedJobs: z.array(z.string()).optional(),
    /** Its background commands that run too long to be waited for. */
    leftJobs: z.array(z.string()).optional(),
  }),
  kind("permission_request", {
    ...asked,
    ...permissionQuestion,
    /** A digest of tool and input. The answer repeats it and applies to nothing else. */
    digest: z.string(),
  }),
  /** Its sender no longer waits for an answer to its request for permission or approval. */
  kind("request_withdrawn", asked),
  kind("permission_response", { ...asked, digest: z.string(), answer: PermissionAnswer }),
  kind("sandbox_permission_request", { ...asked, host: z.string(), digest: z.string() }),
  kind("sandbox_permission_response", { ...asked, digest: z.string(), allow: z.boolean() }),
  kind("shutdown_request", { ...asked, reason: z.string().optional() }),
  /** Stops the current turn and nothing else. */
  kind("interrupt_request", {}),
  /** Ends its receiver without asking its model. With `keep` it can be resumed later. */
  kind("stop_request", { keep: z.boolean(), reason: z.string().optional() }),
  /** To the lead: starts a member again that has ended. */
  kind("respawn_request", { name: z.string() }),
  /** To the lead: starts a teammate for the sender, with at most the sender's rights. */
  kind("spawn_request", {
    ...asked,
    callId: CallId,
    name: z.string(),
    description: z.string(),
    prompt: z.string(),
    /** The sender's current permission mode. */
    callerMode: PermissionMode,
    planModeRequired: z.boolean(),
    type: z.string().optional(),
    model: z.string().optional(),
    mode: PermissionMode.optional(),
    isolation: z.enum(["worktree", "remote"]).optional(),
    cwd: z.string().optional(),
    /** The task that it gets with its start. */
    task: z.number().int().positive().optional(),
  }),
  /** `text` is for the model that made the request. */
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
    /** The role that decided. Missing in mail of older versions: the lead. */
    by: z.enum(["lead", "user"]).optional(),
  }),
  kind("task_assignment", {
    taskId: z.number().int().positive(),
    subject: z.string(),
    description: z.string(),
    assignedBy: z.string(),
    /** Open tasks that block it. The receiver begins it when they are done. */
    blockedBy: z.array(z.number().int().positive()).optional(),
    /** The earlier owners of the task, and the last words of the last one. */
    history: z.string().optional(),
  }),
  /** `atMost`: an upper limit. A member in a stricter mode, or in plan mode, keeps its mode. */
  kind("mode_set_request", { mode: PermissionMode.exclude(["bubble"]), atMost: z.boolean().optional() }),
  kind("team_permission_update", { path: z.string(), tool: z.string() }),
]);
export type MailBody = z.infer<typeof MailBody>;
export type MailKind = MailBody["kind"];

/** Mail that gives its receiver work and makes it report afterwards. */
export const workMailKinds: ReadonlySet<string> = new Set<MailKind>(["text", "task_assignment"]);

/** One message. Names are member names. `user` is the person, who writes through the lead's frontends or the shell. */
export const Mail = z.object({
  id: MailId,
  from: z.string().min(1),
  to: z.string().min(1),
  timestamp: z.iso.datetime(),
  color: z.string().optional(),
  /** Five to ten words, for previews. */
  summary: z.string().optional(),
  /** True if it starts a turn of an idle agent. */
  wakes: z.boolean(),
  /** Stops the current turn, so that the mail is read at once. */
  urgent: z.boolean().optional(),
  /** The mail that it answers or follows. */
  replyTo: MailId.optional(),
  body: MailBody,
  /** Made with its sender's key over all other fields. */
  signature: z.string().optional(),
});
export type Mail = z.infer<typeof Mail>;

/** The state of a mail: on disk; in its receiver's log; in its receiver's conversation; or never delivered. */
export const MailState = z.enum(["queued", "delivered", "read", "failed"]);
export type MailState = z.infer<typeof MailState>;
