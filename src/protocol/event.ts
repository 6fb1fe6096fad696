import * as z from "zod";
import { AgentId, AgentPath, BackgroundId, CallId, MailId, PromptId, RequestId, SessionId } from "./ids.ts";
import { AnswerPart, ContentPart } from "./message.ts";
import { ModelFailure, StopReason, Usage } from "./model.ts";
import { PermissionMode, PermissionScope, Surroundings } from "./permission.ts";
import { MemberStatus } from "./team.ts";
import { ToolOutcome } from "./tool.ts";
import { WorkItem, WorkItemId, WorkItemStatus } from "./work-item.ts";

const event = <T extends string, S extends z.core.$ZodLooseShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), ...shape });

const count = z.number().int().nonnegative();
const money = z.number().nonnegative();

const mailFacts = { mailId: MailId, kind: z.string(), summary: z.string().optional() };

/** Stored in the log of the agent that did it, in the order it happened; everything the program knows is a fold over these. */
export const StoredEvent = z.discriminatedUnion("type", [
  event("session.opened", {
    sessionId: SessionId,
    version: z.string(),
    cwd: z.string(),
    resumed: z.boolean(),
    /** The lead hands out the work and does none itself; a session that is resumed goes on like that. */
    coordinator: z.boolean().optional(),
    /** What all its agents together may spend from here on. */
    maxBudgetUsd: money.optional(),
  }),
  event("session.closed", { reason: z.enum(["completed", "interrupted", "failed"]) }),

  event("agent.spawned", {
    path: AgentPath,
    agentType: z.string(),
    parent: AgentId.optional(),
    /** The call that has started it. */
    callId: CallId.optional(),
    /** What it was started for, in a few words. */
    description: z.string().optional(),
    /** `branch` is empty where it is on none. `hookMade`: by a hook of the user's, which is why it is never removed. */
    worktree: z.object({ path: z.string(), branch: z.string(), hookMade: z.boolean().optional() }).optional(),
    /** A worker on another machine runs it. */
    remote: z.boolean().optional(),
    model: z.string(),
    permissionMode: PermissionMode,
    cwd: z.string(),
  }),
  event("agent.changed", {
    model: z.string().optional(),
    permissionMode: PermissionMode.optional(),
    cwd: z.string().optional(),
  }),
  /** The agent has nothing to do until something is said to it. */
  event("agent.idle", {
    reason: z.enum(["completed", "interrupted", "failed", "limit"]),
    detail: z.string().optional(),
  }),
  /** A small model's words for those who watch: one line of what it is doing, or all that it has done so far. No conversation has them. */
  event("agent.summarized", { scope: z.enum(["progress", "history"]), text: z.string() }),
  event("agent.stopped", { outcome: z.enum(["completed", "failed", "killed"]), detail: z.string().optional() }),

  /** The system prompt in force from here on, whole, so that a later request can start with the same bytes. */
  event("context.composed", { system: z.array(z.string()) }),
  /** The conversation begins with another's, up to and including its answer of this turn: the agent is a fork of it. */
  event("context.inherited", { from: AgentId, turn: count }),
  /** From here on the conversation is `summary`, then the turns from `keptFromTurn`, then what is said next. */
  event("context.compacted", {
    trigger: z.enum(["limit", "overflow", "asked"]),
    summary: z.string(),
    keptFromTurn: count.nullable(),
    tokensBefore: count,
  }),

  /** On disk and waiting; `promoted` puts it into the conversation at the next safe boundary. */
  event("prompt.admitted", {
    promptId: PromptId,
    source: z.enum(["user", "background", "hook", "agent", "mail"]),
    parts: z.array(ContentPart),
    /** It is heard when the agent works next, and is no reason to work. */
    quiet: z.boolean().optional(),
    /** One that waited, and is not said any more: this one says where to read it. */
    insteadOf: PromptId.optional(),
  }),
  event("prompt.promoted", { promptId: PromptId }),

  event("turn.started", { turn: count, model: z.string() }),
  /** The whole answer in one record: there is no half of it to be found after a crash. */
  event("turn.ended", {
    turn: count,
    parts: z.array(AnswerPart),
    stopReason: StopReason,
    contextTokens: count,
    durationMs: count,
  }),
  event("turn.failed", { turn: count, failure: ModelFailure }),
  /** What one request cost, stored before its answer is; `lost` paid for an answer that never arrived whole. */
  event("cost.recorded", {
    purpose: z.enum(["answer", "compact", "summary", "check", "lost"]),
    model: z.string(),
    usage: Usage,
    costUsd: money,
  }),

  /** Stored before the side effect. A call of an answer without it never started; with it and unsettled, nobody knows. */
  event("tool.called", { turn: count, callId: CallId, name: z.string(), input: z.unknown(), title: z.string() }),
  event("tool.settled", { callId: CallId, durationMs: count, ...ToolOutcome.shape }),

  event("permission.asked", {
    requestId: RequestId,
    callId: CallId,
    tool: z.string(),
    input: z.unknown(),
    question: z.string(),
    suggestions: z.array(z.string()),
    /** Why it is not simply allowed. */
    reason: z.string().optional(),
    around: Surroundings.optional(),
    /** The member of a team whose call it is; without it the agent's own. */
    member: z.object({ team: z.string(), name: z.string(), color: z.string().optional() }).optional(),
  }),
  event("permission.settled", {
    requestId: RequestId,
    behavior: z.enum(["allow", "deny"]),
    scope: PermissionScope.optional(),
    by: z.enum(["user", "lead", "policy", "interrupt"]),
    message: z.string().optional(),
  }),

  event("background.started", {
    backgroundId: BackgroundId,
    kind: z.enum(["shell", "agent"]),
    /** The agent that runs there, if one does. */
    agent: AgentId.optional(),
    description: z.string(),
    outputFile: z.string(),
  }),
  event("background.ended", {
    backgroundId: BackgroundId,
    status: z.enum(["completed", "failed", "killed"]),
    exitCode: z.number().int().nullable(),
  }),

  /** From here on the agent is this member of this team. `made`: by the lead's own model, for as long as it is needed. */
  event("team.joined", {
    team: z.string(),
    name: z.string(),
    role: z.enum(["lead", "teammate"]),
    made: z.literal(true).optional(),
  }),
  event("team.left", { team: z.string(), reason: z.string() }),
  /** A member was started; what it does is in the log of a session of its own. */
  event("member.joined", {
    team: z.string(),
    name: z.string(),
    sessionId: SessionId,
    agentType: z.string(),
    model: z.string(),
    color: z.string().optional(),
  }),
  /** Stored with its receiver before this is. */
  event("mail.sent", { team: z.string(), ...mailFacts, to: z.string() }),
  /** In the receiver's log: `promptId` where it went into the conversation, else the runtime has acted on it. */
  event("mail.received", { team: z.string(), ...mailFacts, from: z.string(), promptId: PromptId.optional() }),
  /** What an agent did to a task list; the list itself is kept by the team. Without `team` it is the session's own. */
  event("task.created", { team: z.string().optional(), taskId: WorkItemId, subject: z.string() }),
  event("task.claimed", { team: z.string().optional(), taskId: WorkItemId, subject: z.string() }),
  event("task.updated", {
    team: z.string().optional(),
    taskId: WorkItemId,
    status: WorkItemStatus.optional(),
    owner: z.string().optional(),
  }),

  /** One command of the user's that ran because of something that happened here; `detail` is what it had to say. */
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

  event("notice.raised", { level: z.enum(["info", "warning", "error"]), code: z.string(), message: z.string() }),
]);
export type StoredEvent = z.infer<typeof StoredEvent>;

/** For eyes only: never stored, never replayed. The whole of what a delta is part of arrives in a stored event. */
export const LiveEvent = z.discriminatedUnion("type", [
  event("text.delta", { turn: count, text: z.string() }),
  event("thinking.delta", { turn: count, text: z.string() }),
  event("tool.drafted", { turn: count, name: z.string(), inputJson: z.string() }),
  event("tool.progress", { callId: CallId, text: z.string() }),
  /** The request waits its turn behind a rate limit or the account's width. */
  event("turn.waiting", { turn: count, reason: z.string() }),
  /** The deltas of this turn so far are void; it is asked again after `delayMs`. */
  event("turn.retried", { turn: count, attempt: count, delayMs: count, failure: ModelFailure }),
  event("background.output", { backgroundId: BackgroundId, text: z.string() }),
  /** Where a server of tools stands. `failed` tries no more by itself; `error` is one line for people. */
  event("mcp.changed", {
    server: z.string(),
    state: z.enum(["connecting", "connected", "reconnecting", "failed", "closed"]),
    tools: count,
    error: z.string().optional(),
  }),
  /** How a member of a team is now, as the session that leads it sees it. */
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
    /** Why it is no longer there, as the team's record says. */
    ended: z.enum(["shutdown", "killed", "failed", "lost"]).optional(),
    unread: count.optional(),
  }),
  /** How an entry of a task list is now. */
  event("task.changed", { team: z.string().optional(), task: WorkItem }),
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
