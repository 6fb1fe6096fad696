import * as z from "zod";
import { Command } from "./command.ts";
import { AgentId, SessionId } from "./ids.ts";
import { Mail, MailState } from "./mail.ts";

/** How far a reader has come in each agent's log of a session; what it has not heard of is 0. */
export const Cursor = z.record(AgentId, z.number().int().nonnegative());
export type Cursor = z.infer<typeof Cursor>;

/** A session of this machine, in a list. */
export const SessionListing = z.object({
  id: SessionId,
  cwd: z.string(),
  startedAt: z.string(),
  updatedAt: z.string(),
  firstPrompt: z.string().optional(),
  model: z.string().optional(),
  /** A process has it open; `reachable`: and takes commands from the page. */
  state: z.enum(["stored", "open", "reachable"]),
  /** The team that its agent leads, or is a member of. */
  team: z.string().optional(),
  role: z.enum(["lead", "teammate"]).optional(),
  member: z.string().optional(),
  problem: z.string().optional(),
  /** It is on another machine: what a bus has of it can be looked at, and nothing be said to it. */
  isElsewhere: z.boolean().optional(),
});
export type SessionListing = z.infer<typeof SessionListing>;

/** A worktree of an agent, with what it holds. */
export const WorktreeListing = z.object({
  name: z.string(),
  path: z.string(),
  branch: z.string().optional(),
  agentId: z.string().optional(),
  state: z.string(),
  commits: z.number().int(),
  /** Lines; null where they cannot be counted: a binary file, or a very large new one. */
  files: z.array(
    z.object({ path: z.string(), added: z.number().int().nullable(), removed: z.number().int().nullable() }),
  ),
  /** Why it cannot simply be removed. */
  reasons: z.array(z.string()),
});
export type WorktreeListing = z.infer<typeof WorktreeListing>;

/** What the page posts: the one way in. */
export const PostedCommand = z.object({ session: SessionId, command: Command });
export type PostedCommand = z.infer<typeof PostedCommand>;

/** Which branches of a session's repository are to be brought to its current one. */
export const PostedLanding = z.object({
  session: SessionId,
  branches: z.array(z.string().min(1).max(400)).min(1).max(200),
});
export type PostedLanding = z.infer<typeof PostedLanding>;

/** What became of them. */
export const LandingReport = z.object({
  /** The branch that was landed on. */
  target: z.string(),
  landed: z.array(z.object({ branch: z.string(), commits: z.number().int(), resolved: z.boolean() })),
  /** `message` says what is in the way, and what to do. */
  refused: z.array(
    z.object({ branch: z.string(), reason: z.enum(["nothing new", "conflict", "red"]), message: z.string() }),
  ),
  /** The command that was run on the result; without one nothing was checked. */
  check: z.string().optional(),
  notices: z.array(z.string()),
});
export type LandingReport = z.infer<typeof LandingReport>;

/** A mail of a session's team, as whoever looks on sees it. */
export const MailListing = z.object({
  team: z.string(),
  mail: Mail.omit({ signature: true }),
  state: MailState,
  /** Whether its signature is that of whom it names. */
  sender: z.enum(["verified", "unverified"]),
  /** Why its receiver does not act on it. */
  refused: z.string().optional(),
  /** The body has the beginning of the text; all of it is asked for by itself. */
  isCut: z.boolean(),
});
export type MailListing = z.infer<typeof MailListing>;

/** `problems`: what cannot be read, for people. */
export const MailReading = z.object({ mail: z.array(MailListing), problems: z.array(z.string()) });
export type MailReading = z.infer<typeof MailReading>;
