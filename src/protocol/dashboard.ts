import * as z from "zod";
import { Command } from "./command.ts";
import { AgentId, RequestId, SessionId } from "./ids.ts";
import { Mail, MailState } from "./mail.ts";
import { permissionQuestion } from "./permission.ts";

/** A reader's position in each agent's log of a session. A missing agent counts as 0. */
export const Cursor = z.record(AgentId, z.number().int().nonnegative());
export type Cursor = z.infer<typeof Cursor>;

/** A session of this machine in a list. */
export const SessionListing = z.object({
  id: SessionId,
  cwd: z.string(),
  startedAt: z.string(),
  updatedAt: z.string(),
  firstPrompt: z.string().optional(),
  /** The name that the user gave it. */
  name: z.string().optional(),
  model: z.string().optional(),
  /** The largest context of its model in tokens, if known. */
  contextWindow: z.number().int().positive().optional(),
  /** `open`: a process has the session open. `reachable`: it also accepts commands from the dashboard. */
  state: z.enum(["stored", "open", "reachable"]),
  /** The team that its agent leads or belongs to. */
  team: z.string().optional(),
  role: z.enum(["lead", "teammate"]).optional(),
  member: z.string().optional(),
  problem: z.string().optional(),
  /** The session is on another machine. The dashboard can show what the bus has of it, but cannot send commands. */
  isElsewhere: z.boolean().optional(),
});
export type SessionListing = z.infer<typeof SessionListing>;

/** A question of an agent that waits for an answer, with the asking agent's name. */
export const WaitingQuestion = z.object({
  agent: AgentId,
  at: z.string(),
  asker: z.object({ name: z.string(), agentType: z.string() }),
  asked: z.object({
    requestId: RequestId,
    ...permissionQuestion,
    member: z.object({ team: z.string(), name: z.string(), color: z.string().optional() }).optional(),
  }),
});
export type WaitingQuestion = z.infer<typeof WaitingQuestion>;

const amount = z.number().int().nonnegative();

/** How far a session is, for a list of sessions. Members of a team have their own sessions and summaries. */
export const SessionSummary = z.object({
  session: SessionId,
  /** `died`: its process ended without closing it. */
  end: z.enum(["open", "closed", "failed", "died"]),
  agents: z.object({ working: amount, asking: amount, idle: amount }),
  failures: z.array(z.object({ name: z.string(), at: z.string(), text: z.string() })),
  tasks: z.object({ done: amount, all: amount }),
  costUsd: z.number(),
  lastAt: z.string(),
  questions: z.array(WaitingQuestion),
  /** The log is too long for a list: only its beginning was read. */
  isPartial: z.boolean(),
});
export type SessionSummary = z.infer<typeof SessionSummary>;

/** An agent's worktree with its changes. */
export const WorktreeListing = z.object({
  name: z.string(),
  path: z.string(),
  branch: z.string().optional(),
  agentId: z.string().optional(),
  state: z.string(),
  commits: z.number().int(),
  /** Line counts; null where they cannot be counted: a binary file, or a very large new one. */
  files: z.array(
    z.object({ path: z.string(), added: z.number().int().nullable(), removed: z.number().int().nullable() }),
  ),
  /** The reasons that prevent a plain removal. */
  reasons: z.array(z.string()),
  /** The result of a trial: its branch lands, or has a conflict, or has nothing new. Absent if unknown. */
  landing: z.enum(["ready", "conflict", "landed"]).optional(),
});
export type WorktreeListing = z.infer<typeof WorktreeListing>;

/** A command that the dashboard posts: its only way to change a session. */
export const PostedCommand = z.object({ session: SessionId, command: Command });
export type PostedCommand = z.infer<typeof PostedCommand>;

/** The branches of a session's repository to land on its current branch. */
export const PostedLanding = z.object({
  session: SessionId,
  branches: z.array(z.string().min(1).max(400)).min(1).max(200),
});
export type PostedLanding = z.infer<typeof PostedLanding>;

/** The result of a landing. */
export const LandingReport = z.object({
  /** The branch that the others landed on. */
  target: z.string(),
  landed: z.array(z.object({ branch: z.string(), commits: z.number().int(), resolved: z.boolean() })),
  /** `message` says what prevents the landing and what to do. */
  refused: z.array(
    z.object({ branch: z.string(), reason: z.enum(["nothing new", "conflict", "red"]), message: z.string() }),
  ),
  /** The command that checked the result. Without one nothing was checked. */
  check: z.string().optional(),
  notices: z.array(z.string()),
});
export type LandingReport = z.infer<typeof LandingReport>;

/** A mail of a session's team, as an observer sees it. */
export const MailListing = z.object({
  team: z.string(),
  mail: Mail.omit({ signature: true }),
  state: MailState,
  /** `verified`: the signature belongs to the named sender. */
  sender: z.enum(["verified", "unverified"]),
  /** The reason why its receiver does not act on it. */
  refused: z.string().optional(),
  /** The body contains only the beginning of the text. A separate request returns all of it. */
  isCut: z.boolean(),
});
export type MailListing = z.infer<typeof MailListing>;

/** `problems` describes unreadable mail, for people. */
export const MailReading = z.object({ mail: z.array(MailListing), problems: z.array(z.string()) });
export type MailReading = z.infer<typeof MailReading>;
