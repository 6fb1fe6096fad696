import * as z from "zod";
import { Command } from "./command.ts";
import { AgentId, SessionId } from "./ids.ts";

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
  files: z.array(z.object({ path: z.string(), added: z.number().int(), removed: z.number().int() })),
  /** Why it cannot simply be removed. */
  reasons: z.array(z.string()),
});
export type WorktreeListing = z.infer<typeof WorktreeListing>;

/** What the page posts: the one way in. */
export const PostedCommand = z.object({ session: SessionId, command: Command });
export type PostedCommand = z.infer<typeof PostedCommand>;
