import * as z from "zod";
import { AgentColor } from "./agent-definition.ts";
import { SessionId } from "./ids.ts";
import { PermissionMode } from "./permission.ts";

/** The name of a team's lead within it, and of the person. Nobody else can have them, nor one that looks like them. */
export const teamLead = "team-lead";
export const teamUser = "user";

export const MemberState = z.enum(["starting", "working", "waiting", "idle", "draining", "ended"]);
export type MemberState = z.infer<typeof MemberState>;

export const BackendType = z.enum(["in-process", "tmux", "remote"]);
export type BackendType = z.infer<typeof BackendType>;

/** A pane is only ever touched if all of these still agree. */
export const TmuxPane = z.object({
  socket: z.string(),
  serverPid: z.number().int().positive(),
  paneId: z.string(),
  mark: z.string(),
});
export type TmuxPane = z.infer<typeof TmuxPane>;

/** What the lead was started with that holds for its members too, wherever they run. */
export const LaunchFlags = z.object({
  settings: z.string().optional(),
  allowedTools: z.array(z.string()).optional(),
  disallowedTools: z.array(z.string()).optional(),
  addDir: z.array(z.string()).optional(),
  mcpConfig: z.array(z.string()).optional(),
  strictMcpConfig: z.boolean().optional(),
  agents: z.string().optional(),
  appendSystemPrompt: z.string().optional(),
  maxTurns: z.number().optional(),
  maxBudgetUsd: z.number().optional(),
  maxTokens: z.number().optional(),
  /** Where all of them put down what they hold and spend, if there is a budget. */
  ledger: z.string().optional(),
  /** Where all of them put down which agents there are. */
  places: z.string().optional(),
  /** The folder that a coordinator's workers share, where that is who started it. */
  scratchpad: z.string().optional(),
  /** What its folder brings along may act. */
  trusted: z.boolean().optional(),
});
export type LaunchFlags = z.infer<typeof LaunchFlags>;

/** A member as the team record keeps it; who has ended stays in it. */
export const Member = z.object({
  /** `name@team`. */
  agentId: z.string(),
  name: z.string(),
  agentType: z.string().optional(),
  model: z.string().optional(),
  prompt: z.string().optional(),
  color: AgentColor.optional(),
  planModeRequired: z.boolean().optional(),
  joinedAt: z.string(),
  tmuxPaneId: z.string(),
  pane: TmuxPane.optional(),
  cwd: z.string(),
  worktreePath: z.string().optional(),
  worktreeBranch: z.string().optional(),
  sessionId: SessionId.optional(),
  subscriptions: z.array(z.string()),
  backendType: BackendType,
  mode: PermissionMode.optional(),
  launch: LaunchFlags.optional(),
  /**
   * A worker on another machine runs it: what it asks of workers, the branch that has its commits here, what it began from
   * and its last job. One of the kind `remote` without this is another program's.
   */
  worker: z
    .object({ labels: z.array(z.string()), branch: z.string(), base: z.string(), job: z.string().optional() })
    .optional(),
  /** The agent that started it, and the call it did so with: a call that is tried again starts nobody twice. */
  startedBy: z.string().optional(),
  callId: z.string().optional(),
  /** Why it is no longer there. */
  ended: z
    .object({ at: z.string(), reason: z.enum(["shutdown", "killed", "failed", "lost"]), detail: z.string().optional() })
    .optional(),
});
export type Member = z.infer<typeof Member>;

/** Whom another program or a person speaks for: Troupe neither starts nor kills it. */
export const isExternal = ({ backendType, worker }: Pick<Member, "backendType" | "worker">): boolean =>
  backendType === "remote" && worker === undefined;

/** A path that every member may edit without asking. */
export const AllowedPath = z.object({ path: z.string(), tool: z.string(), addedBy: z.string(), addedAt: z.string() });
export type AllowedPath = z.infer<typeof AllowedPath>;

/** A file or, with a slash at its end, a folder that a member works on, relative to the team's folder or absolute. */
export const Reservation = z.object({
  path: z.string().min(1),
  by: z.string(),
  /** `exclusive`: nobody else has it at the same time; `shared`: others may, if they share it too. */
  mode: z.enum(["exclusive", "shared"]),
  why: z.string().optional(),
  at: z.string(),
  until: z.string(),
});
export type Reservation = z.infer<typeof Reservation>;

/** A team as everybody folds it. Secrets are not part of it. */
export const Team = z.object({
  name: z.string(),
  description: z.string().optional(),
  createdAt: z.string(),
  leadAgentId: z.string(),
  leadSessionId: SessionId.optional(),
  hiddenPaneIds: z.array(z.string()),
  teamAllowedPaths: z.array(AllowedPath),
  members: z.array(Member),
  /** What is or was reserved; who has ended, or whose time is over, holds nothing. */
  reservations: z.array(Reservation).optional(),
  /** Where members are on more than one machine: by name, what shows that it was they who signed (SPKI, base64). */
  publicKeys: z.record(z.string(), z.string()).optional(),
  /** Of members that workers run: what earlier workers signed with. What they have said was said by the member. */
  formerKeys: z.record(z.string(), z.array(z.string())).optional(),
});
export type Team = z.infer<typeof Team>;

/** What is known of a member at this moment: its state by its own word, and whether whoever gave it is still there. */
export const MemberStatus = z.object({
  name: z.string(),
  state: MemberState,
  /** What it does, waits for, or why it has ended. */
  detail: z.string().optional(),
  since: z.string(),
  alive: z.enum(["alive", "dead", "unknown"]),
});
export type MemberStatus = z.infer<typeof MemberStatus>;
