import * as z from "zod";
import { AgentId, AgentPath, BackgroundId, CallId, MailId, PromptId, RequestId, SessionId } from "./ids.ts";
import { AnswerPart, ContentPart } from "./message.ts";
import { Effort, ModelFailure, StopReason, Usage } from "./model.ts";
import { PermissionMode, PermissionScope, permissionQuestion } from "./permission.ts";
import { MemberStatus } from "./team.ts";
import { ToolOutcome } from "./tool.ts";
import { WorkItem, WorkItemId, WorkItemStatus } from "./work-item.ts";

const event = <T extends string, S extends z.core.$ZodLooseShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), ...shape });

/** The name of a session, for people. */
export const SessionName = z.string().trim().min(1).max(100);

const count = z.number().int().nonnegative();
const money = z.number().nonnegative();

const mailFacts = { mailId: MailId, kind: z.string(), summary: z.string().optional() };

/** Stored in the log of the agent that did it, in order. All state of the program is a fold over these events. */
export const StoredEvent = z.discriminatedUnion("type", [
  /** The session started, or resumed, in a folder. */
  event("session.opened", {
    sessionId: SessionId,
    version: z.string(),
    cwd: z.string(),
    resumed: z.boolean(),
    /** The lead delegates all work and does none itself. A resumed session keeps this. */
    coordinator: z.boolean().optional(),
    /** The money that all its agents together may spend from here on. */
    maxBudgetUsd: money.optional(),
  }),
  /** The session closed. */
  event("session.closed", { reason: z.enum(["completed", "interrupted", "failed"]) }),
  /** The user named the session. Stored again at both ends of each run, because a list reads only the ends of a log. */
  event("session.named", { name: SessionName }),

  /** An agent started. Its path names it from here on. */
  event("agent.spawned", {
    path: AgentPath,
    agentType: z.string(),
    parent: AgentId.optional(),
    /** The call that started it. */
    callId: CallId.optional(),
    /** Its purpose in a few words. */
    description: z.string().optional(),
    /** `branch` is empty if there is none. `hookMade`: a user's hook made the worktree, so Troupe never removes it. */
    worktree: z.object({ path: z.string(), branch: z.string(), hookMade: z.boolean().optional() }).optional(),
    /** A worker on another machine runs it. */
    remote: z.boolean().optional(),
    model: z.string(),
    permissionMode: PermissionMode,
    cwd: z.string(),
  }),
  /** The agent has another model, permission mode, effort or folder from here on. */
  event("agent.changed", {
    model: z.string().optional(),
    permissionMode: PermissionMode.optional(),
    effort: Effort.optional(),
    cwd: z.string().optional(),
  }),
  /** The agent has nothing to do until it receives input. */
  event("agent.idle", {
    reason: z.enum(["completed", "interrupted", "failed", "limit"]),
    detail: z.string().optional(),
  }),
  /**
   * A small model's summary for viewers: one line on the current work, or everything done so far. It is not part of any
   * conversation.
   */
  event("agent.summarized", { scope: z.enum(["progress", "history"]), text: z.string() }),
  /** The agent ended for good. */
  event("agent.stopped", { outcome: z.enum(["completed", "failed", "killed"]), detail: z.string().optional() }),

  /** The full system prompt in force from here on, so that a later request can start with the same bytes. */
  event("context.composed", { system: z.array(z.string()) }),
  /** The agent is a fork: its conversation begins with that of `from`, up to and including the answer of this turn. */
  event("context.inherited", { from: AgentId, turn: count }),
  /** From here on the conversation is `kept` and `summary`, then the turns from `keptFromTurn`, then new input. */
  event("context.compacted", {
    trigger: z.enum(["limit", "overflow", "asked"]),
    summary: z.string(),
    /** The messages that gave the agent its work, word for word. */
    kept: z.string().optional(),
    keptFromTurn: count.nullable(),
    tokensBefore: count,
  }),

  /**
   * The user went back to an earlier moment. The log keeps everything: a later rewind can return to the moment before
   * this one.
   */
  event("agent.rewound", {
    /** The prompt or the earlier rewind before which the user chose to be. */
    point: z.string(),
    /** The conversation is again as after this event of the log. Absent: it stays as it is. */
    to: count.optional(),
    /** The files that were restored. `before` and `after` are ids of their states. */
    files: z.array(z.object({ folder: z.string(), before: z.string(), after: z.string(), changed: count })).optional(),
    /** One line for people. */
    text: z.string(),
  }),

  /** Stored and waiting. `promoted` adds it to the conversation at the next safe boundary. */
  event("prompt.admitted", {
    promptId: PromptId,
    source: z.enum(["user", "background", "hook", "agent", "mail"]),
    parts: z.array(ContentPart),
    /** The agent sees it in its next turn, but it does not start one. */
    quiet: z.boolean().optional(),
    /** A waiting prompt that this one replaces. This one says where to read it. */
    insteadOf: PromptId.optional(),
  }),
  /** The prompt is in the conversation now. */
  event("prompt.promoted", { promptId: PromptId }),

  /** A request went to the model. */
  event("turn.started", { turn: count, model: z.string() }),
  /** The whole answer in one record, so a crash never leaves half of it. */
  event("turn.ended", {
    turn: count,
    parts: z.array(AnswerPart),
    stopReason: StopReason,
    contextTokens: count,
    durationMs: count,
  }),
  /** The model gave no answer. */
  event("turn.failed", { turn: count, failure: ModelFailure }),
  /** The cost of one request, stored before its answer. `lost` means the answer never arrived whole. */
  event("cost.recorded", {
    purpose: z.enum(["answer", "compact", "summary", "check", "lost"]),
    model: z.string(),
    usage: Usage,
    costUsd: money,
  }),

  /**
   * Stored before the side effect. A call in an answer without this event never started. With this event but not
   * settled, its outcome is unknown.
   */
  event("tool.called", { turn: count, callId: CallId, name: z.string(), input: z.unknown(), title: z.string() }),
  /** The outcome of a call: `ok`, `failed`, `denied` or `interrupted`, with the text that the model reads. */
  event("tool.settled", { callId: CallId, durationMs: count, ...ToolOutcome.shape }),

  /** A call waits for an answer. */
  event("permission.asked", {
    requestId: RequestId,
    ...permissionQuestion,
    /** The team member that made the call. Absent for the agent's own call. */
    member: z.object({ team: z.string(), name: z.string(), color: z.string().optional() }).optional(),
  }),
  /** A question has its answer. */
  event("permission.settled", {
    requestId: RequestId,
    behavior: z.enum(["allow", "deny"]),
    scope: PermissionScope.optional(),
    by: z.enum(["user", "lead", "policy", "interrupt"]),
    message: z.string().optional(),
  }),

  /** A command or an agent continues in the background. */
  event("background.started", {
    backgroundId: BackgroundId,
    kind: z.enum(["shell", "agent"]),
    /** The agent that runs there, if any. */
    agent: AgentId.optional(),
    description: z.string(),
    outputFile: z.string(),
  }),
  /** A background job ended. */
  event("background.ended", {
    backgroundId: BackgroundId,
    status: z.enum(["completed", "failed", "killed"]),
    exitCode: z.number().int().nullable(),
  }),

  /**
   * From here on the agent is this member of this team. `made`: the lead's model created the team, only for as long as
   * it is needed.
   */
  event("team.joined", {
    team: z.string(),
    name: z.string(),
    role: z.enum(["lead", "teammate"]),
    made: z.literal(true).optional(),
  }),
  /** The agent is not a member of the team any more. */
  event("team.left", { team: z.string(), reason: z.string() }),
  /** A member was started. Its activity is in the log of a separate session. */
  event("member.joined", {
    team: z.string(),
    name: z.string(),
    sessionId: SessionId,
    agentType: z.string(),
    model: z.string(),
    color: z.string().optional(),
    /** Set if it has its own worktree. */
    worktreePath: z.string().optional(),
  }),
  /** Stored after the mail is stored for its receiver. */
  /** `quiet`: it does not wake its receiver, and no report follows. */
  event("mail.sent", { team: z.string(), ...mailFacts, to: z.string(), quiet: z.literal(true).optional() }),
  /** In the receiver's log. `promptId` is set if it entered the conversation; otherwise the runtime handled it. */
  event("mail.received", { team: z.string(), ...mailFacts, from: z.string(), promptId: PromptId.optional() }),
  /** An agent's change to a task list; the team keeps the list itself. Without `team` it is the session's own list. */
  event("task.created", { team: z.string().optional(), taskId: WorkItemId, subject: z.string() }),
  /** The agent claimed a task. */
  event("task.claimed", { team: z.string().optional(), taskId: WorkItemId, subject: z.string() }),
  /** The agent changed a task. */
  event("task.updated", {
    team: z.string().optional(),
    taskId: WorkItemId,
    status: WorkItemStatus.optional(),
    owner: z.string().optional(),
    /** For a completed task: whether its checks passed, were not run, or do not exist. */
    checks: z.enum(["passed", "not_run", "none"]).optional(),
  }),

  /** A user's command that ran because of an event here. `detail` is its output. */
  event("hook.ran", {
    hook: z.string(),
    command: z.string(),
    source: z.string(),
    outcome: z.enum(["passed", "allowed", "asked", "blocked", "failed", "interrupted"]),
    exitCode: z.number().int().nullable(),
    durationMs: count,
    callId: CallId.optional(),
    detail: z.string().optional(),
  }),

  /** Something that people should know. */
  event("notice.raised", { level: z.enum(["info", "warning", "error"]), code: z.string(), message: z.string() }),
]);
export type StoredEvent = z.infer<typeof StoredEvent>;

/** For viewers only: never stored, never replayed. A stored event later carries the whole content. */
export const LiveEvent = z.discriminatedUnion("type", [
  /** More text of the answer. */
  event("text.delta", { turn: count, text: z.string() }),
  /** More of the thinking of the model. */
  event("thinking.delta", { turn: count, text: z.string() }),
  /** More input of a call that the model is writing. */
  event("tool.drafted", { turn: count, name: z.string(), inputJson: z.string() }),
  /** More output of a running call. */
  event("tool.progress", { callId: CallId, text: z.string() }),
  /** The request waits for a rate limit or for the account's concurrency limit. */
  event("turn.waiting", { turn: count, reason: z.string() }),
  /** The deltas of this turn so far are void. The request is repeated after `delayMs`. */
  event("turn.retried", { turn: count, attempt: count, delayMs: count, failure: ModelFailure }),
  /** More output of a background command. */
  event("background.output", { backgroundId: BackgroundId, text: z.string() }),
  /** The state of an MCP server. `failed` makes no further attempts by itself. `error` is one line for people. */
  event("mcp.changed", {
    server: z.string(),
    state: z.enum(["connecting", "connected", "reconnecting", "failed", "closed"]),
    tools: count,
    error: z.string().optional(),
  }),
  /** The current state of a team member, as the lead's session sees it. */
  event("member.changed", {
    team: z.string(),
    ...MemberStatus.shape,
    role: z.enum(["lead", "teammate"]),
    color: z.string().optional(),
    agentType: z.string().optional(),
    model: z.string().optional(),
    backendType: z.string().optional(),
    sessionId: SessionId.optional(),
    cwd: z.string().optional(),
    worktreePath: z.string().optional(),
    tmuxPaneId: z.string().optional(),
    joinedAt: z.string().optional(),
    /** The reason for its end, from the team record. */
    ended: z.enum(["shutdown", "killed", "failed", "lost"]).optional(),
    unread: count.optional(),
  }),
  /** The current state of a task. */
  event("task.changed", { team: z.string().optional(), task: WorkItem }),
  /** The answer to a command: it was accepted, or the reason why not. */
  event("command.settled", {
    commandId: z.string().optional(),
    ok: z.boolean(),
    code: z.string().optional(),
    message: z.string().optional(),
  }),
]);
export type LiveEvent = z.infer<typeof LiveEvent>;

export const Event = z.discriminatedUnion("type", [...StoredEvent.options, ...LiveEvent.options]);
export type Event = z.infer<typeof Event>;

const teamEventTypes = [
  "member.joined",
  "mail.sent",
  "mail.received",
  "task.created",
  "task.claimed",
  "task.updated",
] as const satisfies readonly Event["type"][];

/** True for records about the members, mail and tasks of a team. They change neither a conversation nor an agent. */
export const isTeamEvent = (event: Event): event is Extract<Event, { type: (typeof teamEventTypes)[number] }> =>
  teamEventTypes.some((type) => type === event.type);
